package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.AwsServiceException;
import org.jspecify.annotations.Nullable;

/** The errors that DynamoDB answers, worded as it words them. */
final class ServiceErrors {
    static final String VALIDATION_CODE = "ValidationException";
    static final String CONDITION_FAILED_MESSAGE = "The conditional request failed";
    private static final String INVALID_PARAMETERS = "One or more parameter values were invalid: ";

    private ServiceErrors() {}

    static AwsServiceException validation(String message) {
        return AwsServiceException.client(VALIDATION_CODE, message);
    }

    static AwsServiceException invalidParameters(String detail) {
        return validation(INVALID_PARAMETERS + detail);
    }

    /** A violated constraint of the service's model, such as a length or an enumeration. */
    static AwsServiceException constraint(String value, String member, String constraint) {
        return validation("1 validation error detected: Value " + value + " at '" + member
                + "' failed to satisfy constraint: " + constraint);
    }

    static AwsServiceException serialization(String message) {
        return AwsServiceException.client("SerializationException", message);
    }

    static AwsServiceException tableNotFound() {
        return AwsServiceException.client("ResourceNotFoundException", "Requested resource not found");
    }

    static AwsServiceException tableNotFound(String name) {
        return AwsServiceException.client(
                "ResourceNotFoundException", "Requested resource not found: Table: " + name + " not found");
    }

    static AwsServiceException tableExists(String name) {
        return AwsServiceException.client("ResourceInUseException", "Table already exists: " + name);
    }

    static AwsServiceException keySchemaMismatch() {
        return validation("The provided key element does not match the schema");
    }

    static AwsServiceException conditionFailed(@Nullable MapValue item) {
        ObjectNode members = null;
        if (item != null) {
            members = JsonNodeFactory.instance.objectNode();
            members.set("Item", ValueWriter.item(item));
        }
        return new AwsServiceException(400, "ConditionalCheckFailedException", CONDITION_FAILED_MESSAGE, members);
    }
}
