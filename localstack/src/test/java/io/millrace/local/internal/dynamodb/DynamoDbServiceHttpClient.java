package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.AwsServiceException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpResponse;

/** The smallest HTTP client that lets the SDK call the service without a socket. */
final class DynamoDbServiceHttpClient implements SdkHttpClient {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final DynamoDbService service;

    DynamoDbServiceHttpClient(DynamoDbService service) {
        this.service = service;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        return new ExecutableHttpRequest() {
            @Override
            public HttpExecuteResponse call() throws IOException {
                String target = request.httpRequest()
                        .firstMatchingHeader("X-Amz-Target")
                        .orElseThrow();
                String operation = target.substring(target.indexOf('.') + 1);
                byte[] body;
                try (InputStream stream =
                        request.contentStreamProvider().orElseThrow().newStream()) {
                    body = stream.readAllBytes();
                }
                return answer(operation, (ObjectNode) MAPPER.readTree(body));
            }

            @Override
            public void abort() {}
        };
    }

    private HttpExecuteResponse answer(String operation, ObjectNode request) throws IOException {
        try {
            return response(200, service.call(operation, request));
        } catch (AwsServiceException e) {
            ObjectNode document = MAPPER.createObjectNode();
            document.put("__type", "com.amazonaws.dynamodb.v20120810#" + e.code());
            document.put("message", e.getMessage());
            ObjectNode members = e.members();
            if (members != null) {
                document.setAll(members);
            }
            return response(e.httpStatus(), document);
        }
    }

    private static HttpExecuteResponse response(int status, ObjectNode document) throws IOException {
        byte[] body = MAPPER.writeValueAsString(document).getBytes(StandardCharsets.UTF_8);
        CRC32 checksum = new CRC32();
        checksum.update(body);
        return HttpExecuteResponse.builder()
                .response(SdkHttpResponse.builder()
                        .statusCode(status)
                        .putHeader("Content-Type", "application/x-amz-json-1.0")
                        .putHeader("Content-Length", Integer.toString(body.length))
                        .putHeader("x-amz-crc32", Long.toString(checksum.getValue()))
                        .build())
                .responseBody(AbortableInputStream.create(new ByteArrayInputStream(body)))
                .build();
    }

    @Override
    public void close() {}
}
