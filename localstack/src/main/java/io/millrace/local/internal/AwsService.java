package io.millrace.local.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * One simulated AWS service: operations by name, documents in and out. The wire format (JSON or CBOR) is decoded and
 * encoded outside; binary values are readable by {@link com.fasterxml.jackson.databind.JsonNode#binaryValue()} in both.
 * Thread-safe: requests run at the same time, and each takes effect at one moment.
 */
public interface AwsService {
    /** Runs one operation and returns the response document, or throws the error that AWS would answer. */
    ObjectNode call(String operation, ObjectNode request) throws AwsServiceException;
}
