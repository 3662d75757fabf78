package io.millrace.local;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpResponse;

/** An HTTP client that answers operations by functions, in JSON or CBOR as asked, and keeps what was executed. */
final class TinyAws implements SdkHttpClient {
    private final Map<String, Function<ObjectNode, JsonNode>> operations = new HashMap<>();
    final List<String> executed = Collections.synchronizedList(new ArrayList<>());

    TinyAws on(String operation, Function<ObjectNode, JsonNode> answer) {
        operations.put(operation, answer);
        return this;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        return new ExecutableHttpRequest() {
            @Override
            public HttpExecuteResponse call() throws IOException {
                return answer(request);
            }

            @Override
            public void abort() {}
        };
    }

    private HttpExecuteResponse answer(HttpExecuteRequest request) throws IOException {
        String target =
                request.httpRequest().firstMatchingHeader("X-Amz-Target").orElseThrow();
        String contentType =
                request.httpRequest().firstMatchingHeader("Content-Type").orElseThrow();
        ObjectMapper mapper = contentType.contains("cbor") ? new CBORMapper() : new ObjectMapper();
        String operation = target.substring(target.indexOf('.') + 1);
        @Nullable Function<ObjectNode, JsonNode> function = operations.get(operation);
        if (function == null) {
            throw new IllegalArgumentException("No answer for " + operation);
        }
        executed.add(operation);
        ObjectNode document;
        try (InputStream body = request.contentStreamProvider().orElseThrow().newStream()) {
            document = (ObjectNode) mapper.readTree(body);
        }
        byte[] answer = mapper.writeValueAsBytes(function.apply(document));
        return HttpExecuteResponse.builder()
                .response(SdkHttpResponse.builder()
                        .statusCode(200)
                        .putHeader("Content-Type", contentType)
                        .build())
                .responseBody(AbortableInputStream.create(new ByteArrayInputStream(answer)))
                .build();
    }

    @Override
    public void close() {}
}
