package io.millrace.local.internal.wire;

import io.millrace.local.internal.AwsService;
import java.util.Set;

/**
 * A service that is addressed by the {@code X-Amz-Target} header, with what its wire protocol adds to its documents.
 *
 * @param targetPrefix the part of the header before the operation's name, such as {@code Kinesis_20131202}
 * @param errorNamespace what {@code __type} has before an error code of the service's own, or an empty string
 * @param bodyChecksum whether responses carry {@code x-amz-crc32}
 */
public record DocumentService(String targetPrefix, AwsService service, String errorNamespace, boolean bodyChecksum) {
    private static final String FRAMEWORK_NAMESPACE = "com.amazon.coral.service#";
    private static final String VALIDATION_NAMESPACE = "com.amazon.coral.validate#";
    private static final Set<String> FRAMEWORK_CODES = Set.of(
            "SerializationException",
            "UnknownOperationException",
            "InternalFailure",
            "UnrecognizedClientException",
            "ThrottlingException");

    /** Kinesis Data Streams: bare error codes, no checksum. */
    public static DocumentService kinesis(AwsService service) {
        return new DocumentService("Kinesis_20131202", service, "", false);
    }

    /** DynamoDB: error codes with a namespace, and a checksum that the AWS SDK verifies. */
    public static DocumentService dynamoDb(AwsService service) {
        return new DocumentService("DynamoDB_20120810", service, "com.amazonaws.dynamodb.v20120810#", true);
    }

    /** The error code as {@code __type} shows it. */
    String errorType(String code) {
        if (errorNamespace.isEmpty()) {
            return code;
        }
        if (code.equals("ValidationException")) {
            return VALIDATION_NAMESPACE + code;
        }
        return (FRAMEWORK_CODES.contains(code) ? FRAMEWORK_NAMESPACE : errorNamespace) + code;
    }
}
