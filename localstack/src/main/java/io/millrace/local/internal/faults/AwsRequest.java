package io.millrace.local.internal.faults;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.local.internal.s3.S3Address;
import io.millrace.local.internal.s3.S3Operation;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;

/** A request on its way to AWS: which operation it is, and its document when somebody asks. Single-threaded. */
public final class AwsRequest {
    private static final String HTTP = "HTTP.";
    private static final String S3 = "S3.";

    private final HttpExecuteRequest http;
    private final String operation;
    private final String contentType;
    private final String requestId;
    private @Nullable JsonNode document;

    private AwsRequest(HttpExecuteRequest http, String operation, String contentType, String requestId) {
        this.http = http;
        this.operation = operation;
        this.contentType = contentType;
        this.requestId = requestId;
    }

    /**
     * Reads the headers of a request; what has no {@code X-Amz-Target} and is no operation of S3 is named by its HTTP method.
     *
     * @param requestId the id that a response has which does not come from AWS
     */
    public static AwsRequest of(HttpExecuteRequest http, String requestId) {
        String target = http.httpRequest().firstMatchingHeader("X-Amz-Target").orElse("");
        String contentType =
                http.httpRequest().firstMatchingHeader("Content-Type").orElse("application/json");
        int dot = target.indexOf('.');
        if (dot < 0) {
            return new AwsRequest(http, operationWithoutTarget(http.httpRequest()), contentType, requestId);
        }
        String service =
                target.startsWith("DynamoDB_") ? "DynamoDB" : target.startsWith("Kinesis_") ? "Kinesis" : "Other";
        return new AwsRequest(http, service + target.substring(dot), contentType, requestId);
    }

    private static String operationWithoutTarget(SdkHttpRequest request) {
        String method = request.method().name();
        S3Address address = S3Address.of(request.host(), request.encodedPath());
        if (!address.isOfS3(method)) {
            return HTTP + method;
        }
        boolean copies = request.firstMatchingHeader("x-amz-copy-source").isPresent();
        return S3Operation.of(method, address, request.rawQueryParameters().keySet(), copies)
                .map(operation -> S3 + operation.operationName())
                .orElse(HTTP + method);
    }

    /** The operation with its service, as {@code DynamoDB.GetItem}. */
    public String operation() {
        return operation;
    }

    boolean isS3() {
        return operation.startsWith(S3);
    }

    boolean isHead() {
        return http.httpRequest().method() == SdkHttpMethod.HEAD;
    }

    boolean isDynamoDb() {
        return operation.startsWith("DynamoDB.");
    }

    String contentType() {
        return contentType;
    }

    String requestId() {
        return requestId;
    }

    WireFormat format() {
        return WireFormat.ofContentType(contentType);
    }

    JsonNode document() {
        JsonNode read = document;
        if (read == null) {
            read = format().read(body());
            document = read;
        }
        return read;
    }

    private byte[] body() {
        if (http.contentStreamProvider().isEmpty()) {
            return new byte[0];
        }
        try (InputStream stream = http.contentStreamProvider().get().newStream()) {
            return stream.readAllBytes();
        } catch (IOException failure) {
            throw new UncheckedIOException("Reading the body of " + operation + " failed", failure);
        }
    }

    /** The client request token of a transaction; empty if there is none. */
    public String token() {
        return operation.equals("DynamoDB.TransactWriteItems")
                ? document().path("ClientRequestToken").asText("")
                : "";
    }

    /** The shard iterator of a read; empty for other operations. */
    public String shardIterator() {
        return operation.equals("Kinesis.GetRecords")
                ? document().path("ShardIterator").asText("")
                : "";
    }
}
