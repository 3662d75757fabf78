package io.millrace.local.internal.dynamodb;

import io.millrace.local.internal.AwsServiceException;

/** The request parameter that an expression comes from; its name stands in every message about it. */
enum ExpressionKind {
    CONDITION("ConditionExpression"),
    FILTER("FilterExpression"),
    KEY_CONDITION("KeyConditionExpression"),
    UPDATE("UpdateExpression"),
    PROJECTION("ProjectionExpression");

    private final String parameter;

    ExpressionKind(String parameter) {
        this.parameter = parameter;
    }

    String parameter() {
        return parameter;
    }

    AwsServiceException invalid(String detail) {
        return ServiceErrors.validation("Invalid " + parameter + ": " + detail);
    }
}
