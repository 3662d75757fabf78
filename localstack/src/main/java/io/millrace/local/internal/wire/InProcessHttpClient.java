package io.millrace.local.internal.wire;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ContentStreamProvider;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.SdkHttpResponse;

/** An HTTP client of the AWS SDK that hands requests to a handler in this JVM, on the caller's thread, without a socket. */
public final class InProcessHttpClient implements SdkHttpClient {
    private final AwsHandler handler;

    public InProcessHttpClient(AwsHandler handler) {
        this.handler = handler;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        return new Exchange(request);
    }

    @Override
    public String clientName() {
        return "MillraceInProcess";
    }

    @Override
    public void close() {
        // Holds nothing: several SDK clients may share it.
    }

    private final class Exchange implements ExecutableHttpRequest {
        private final HttpExecuteRequest request;
        private volatile boolean aborted;

        Exchange(HttpExecuteRequest request) {
            this.request = request;
        }

        @Override
        public HttpExecuteResponse call() throws IOException {
            refuseIfAborted("before it was sent");
            AwsResponse response = handler.handle(awsRequest());
            refuseIfAborted("before its response arrived");
            SdkHttpResponse.Builder head = SdkHttpResponse.builder().statusCode(response.status());
            response.headers().forEach(head::putHeader);
            return HttpExecuteResponse.builder()
                    .response(head.build())
                    .responseBody(AbortableInputStream.create(new ByteArrayInputStream(response.body())))
                    .build();
        }

        @Override
        public void abort() {
            aborted = true;
        }

        private AwsRequest awsRequest() throws IOException {
            SdkHttpRequest head = request.httpRequest();
            ContentStreamProvider content = request.contentStreamProvider().orElse(null);
            byte[] body = new byte[0];
            if (content != null) {
                try (InputStream stream = content.newStream()) {
                    body = stream.readAllBytes();
                }
            }
            // On a socket the client that sends the request adds what the SDK has not set.
            Map<String, List<String>> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
            headers.put("Host", List.of(head.host()));
            headers.putAll(head.headers());
            return new AwsRequest(
                    head.method().name(),
                    head.encodedPath().isEmpty() ? "/" : head.encodedPath(),
                    head.encodedQueryParameters().orElse(""),
                    headers,
                    body);
        }

        private void refuseIfAborted(String when) throws IOException {
            if (aborted) {
                throw new IOException("the request was aborted " + when);
            }
        }
    }
}
