package io.millrace.local.internal.faults;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpResponse;

/** The errors that AWS answers, in the wire format of the request. */
public final class FaultResponses {
    private static final String DYNAMODB = "com.amazonaws.dynamodb.v20120810#";
    private static final String CORAL = "com.amazon.coral.availability#";
    private static final String PROVISIONED_THROUGHPUT_EXCEEDED =
            "The level of configured provisioned throughput for the table was exceeded. "
                    + "Consider increasing your provisioning level with the UpdateTable API.";
    private static final String THROUGHPUT_EXCEEDS =
            "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically scaling your table "
                    + "or index so please try again shortly.";

    private FaultResponses() {}

    /** HTTP 500 of the request's service. */
    public static HttpExecuteResponse internalServerError(AwsRequest request) {
        if (request.isS3()) {
            return s3Error(request, 500, "InternalError", "We encountered an internal error. Please try again.");
        }
        return request.isDynamoDb()
                ? error(request, 500, DYNAMODB + "InternalServerError", "Internal server error")
                : error(request, 500, "InternalFailure", "Internal Service Failure");
    }

    /** Exceeded throughput; {@code variant} chooses among the errors that the operation can answer. */
    public static HttpExecuteResponse throttle(AwsRequest request, int variant) {
        if (request.isS3()) {
            return s3Error(request, 503, "SlowDown", "Please reduce your request rate.");
        }
        if (!request.isDynamoDb()) {
            return error(
                    request,
                    400,
                    "ProvisionedThroughputExceededException",
                    "Rate exceeded for shard shardId-000000000000 in stream under account 000000000000.");
        }
        return variant % 2 == 0
                ? error(
                        request,
                        400,
                        DYNAMODB + "ProvisionedThroughputExceededException",
                        PROVISIONED_THROUGHPUT_EXCEEDED)
                : error(request, 400, CORAL + "ThrottlingException", THROUGHPUT_EXCEEDS);
    }

    /** A transaction cancelled for throughput at the action {@code index}. */
    public static HttpExecuteResponse throttledTransaction(AwsRequest request, int index) {
        return cancelled(request, index, "ThrottlingError", THROUGHPUT_EXCEEDS);
    }

    /** A conflict with another transaction; for a transaction at the action {@code index}, taken modulo their number. */
    public static HttpExecuteResponse transactionConflict(AwsRequest request, int index) {
        return request.operation().equals("DynamoDB.TransactWriteItems")
                ? cancelled(request, index, "TransactionConflict", "Transaction is ongoing for the item")
                : error(request, 400, DYNAMODB + "TransactionConflictException", "Transaction is ongoing for the item");
    }

    private static HttpExecuteResponse cancelled(AwsRequest request, int index, String code, String message) {
        int actions = Math.max(1, request.document().path("TransactItems").size());
        int hit = Math.floorMod(index, actions);
        ArrayNode reasons = JsonNodeFactory.instance.arrayNode();
        List<String> codes = new ArrayList<>();
        for (int action = 0; action < actions; action++) {
            ObjectNode reason = reasons.addObject();
            reason.put("Code", action == hit ? code : "None");
            if (action == hit) {
                reason.put("Message", message);
            }
            codes.add(action == hit ? code : "None");
        }
        ObjectNode document = document(
                DYNAMODB + "TransactionCanceledException",
                "Transaction cancelled, please refer cancellation reasons for specific reasons ["
                        + String.join(", ", codes) + "]");
        document.set("CancellationReasons", reasons);
        // TransactionCanceledException is the one DynamoDB error whose message member is capitalised.
        document.put("Message", document.remove("message").asText());
        return respond(request, 400, document);
    }

    /** The first attempt of a transaction is still running. */
    public static HttpExecuteResponse transactionInProgress(AwsRequest request) {
        ObjectNode document = document(
                DYNAMODB + "TransactionInProgressException",
                "The transaction with the given request token is already in progress.");
        document.put("Message", document.remove("message").asText());
        return respond(request, 400, document);
    }

    /** The shard iterator is too old. */
    public static HttpExecuteResponse expiredIterator(AwsRequest request) {
        return error(
                request,
                400,
                "ExpiredIteratorException",
                "Iterator expired. The iterator was created at a time that lies further in the past than the tolerated "
                        + "delay of 300000 milliseconds.");
    }

    /** The texts need no escapes. An answer to HEAD has the status only. */
    private static HttpExecuteResponse s3Error(AwsRequest request, int status, String code, String message) {
        String document = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + code + "</Code><Message>"
                + message + "</Message><RequestId>" + request.requestId() + "</RequestId></Error>";
        byte[] body = request.isHead() ? new byte[0] : document.getBytes(StandardCharsets.UTF_8);
        SdkHttpResponse http = SdkHttpResponse.builder()
                .statusCode(status)
                .putHeader("Content-Type", "application/xml")
                .putHeader("Content-Length", Integer.toString(body.length))
                .putHeader("x-amz-request-id", request.requestId())
                .build();
        return response(http, body);
    }

    private static HttpExecuteResponse error(AwsRequest request, int status, String type, String message) {
        return respond(request, status, document(type, message));
    }

    private static ObjectNode document(String type, String message) {
        return JsonNodeFactory.instance.objectNode().put("__type", type).put("message", message);
    }

    static HttpExecuteResponse respond(AwsRequest request, int status, ObjectNode document) {
        byte[] body = request.format().write(document);
        SdkHttpResponse http = SdkHttpResponse.builder()
                .statusCode(status)
                .putHeader("Content-Type", request.contentType())
                .putHeader("Content-Length", Integer.toString(body.length))
                .putHeader("x-amzn-RequestId", request.requestId())
                .build();
        return response(http, body);
    }

    private static HttpExecuteResponse response(SdkHttpResponse http, byte[] body) {
        return HttpExecuteResponse.builder()
                .response(http)
                .responseBody(AbortableInputStream.create(new ByteArrayInputStream(body)))
                .build();
    }
}
