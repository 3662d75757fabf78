package io.millrace.local.testing;

import org.jspecify.annotations.Nullable;

/**
 * Where an invocation ends: at its n-th AWS request, or at the first one of an operation, before it is executed or when
 * it is executed and not answered yet.
 *
 * @param request the number of the request, from 1; 0 if the operation decides
 * @param operation the operation, such as {@code DynamoDB.PutItem}; null if the number decides
 */
record CrashPoint(boolean after, int request, @Nullable String operation) {
    static CrashPoint at(boolean after, int request) {
        if (request < 1) {
            throw new IllegalArgumentException("Request " + request + ": requests are counted from 1.");
        }
        return new CrashPoint(after, request, null);
    }

    static CrashPoint at(boolean after, String operation) {
        if (operation.indexOf('.') < 1) {
            throw new IllegalArgumentException("The operation '" + operation
                    + "' names no service; DynamoDB.TransactWriteItems or Kinesis.GetRecords are such names.");
        }
        return new CrashPoint(after, 0, operation);
    }

    boolean isAt(int number, String name) {
        return operation == null ? number == request : operation.equals(name);
    }

    @Override
    public String toString() {
        String place = operation == null ? "request " + request : "the first request " + operation;
        return (after ? "after " : "before ") + place;
    }
}
