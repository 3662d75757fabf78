package io.millrace.local;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;

/** An HTTP client that keeps every response of another one to the byte, and what failed without a response. */
final class RecordedResponses implements SdkHttpClient {
    private final SdkHttpClient client;
    final List<String> responses = new ArrayList<>();

    RecordedResponses(SdkHttpClient client) {
        this.client = client;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        ExecutableHttpRequest prepared = client.prepareRequest(request);
        return new ExecutableHttpRequest() {
            @Override
            public HttpExecuteResponse call() throws IOException {
                try {
                    return keep(prepared.call());
                } catch (IOException failure) {
                    responses.add(failure.toString());
                    throw failure;
                }
            }

            @Override
            public void abort() {
                prepared.abort();
            }
        };
    }

    private HttpExecuteResponse keep(HttpExecuteResponse response) throws IOException {
        byte[] body;
        try (AbortableInputStream stream = response.responseBody().orElseThrow()) {
            body = stream.readAllBytes();
        }
        responses.add(response.httpResponse().statusCode() + " "
                + response.httpResponse().headers() + " "
                + new String(body, StandardCharsets.ISO_8859_1));
        return HttpExecuteResponse.builder()
                .response(response.httpResponse())
                .responseBody(AbortableInputStream.create(new ByteArrayInputStream(body)))
                .build();
    }

    @Override
    public void close() {
        client.close();
    }
}
