package io.millrace.local;

import java.util.Set;

/** A fault of the kind that AWS or the network can produce for one request. */
public enum Fault {
    /** The request is executed, and the connection breaks before the answer arrives. */
    LOST_RESPONSE(Set.of()),
    /** The connection breaks before the request is executed. */
    LOST_REQUEST(Set.of()),
    /** The service answers 500 and has executed nothing. */
    INTERNAL_SERVER_ERROR(Set.of()),
    /** The request takes longer. */
    LATENCY(Set.of()),
    /** The service refuses the request for its rate, with the error that this operation can answer. */
    THROTTLE(Set.of(
            "DynamoDB.GetItem",
            "DynamoDB.BatchGetItem",
            "DynamoDB.BatchWriteItem",
            "DynamoDB.PutItem",
            "DynamoDB.UpdateItem",
            "DynamoDB.DeleteItem",
            "DynamoDB.Query",
            "DynamoDB.Scan",
            "DynamoDB.TransactGetItems",
            "DynamoDB.TransactWriteItems",
            "Kinesis.GetRecords",
            "Kinesis.GetShardIterator",
            "Kinesis.PutRecord",
            "Kinesis.PutRecords",
            "S3.ListBuckets",
            "S3.CreateBucket",
            "S3.HeadBucket",
            "S3.DeleteBucket",
            "S3.ListObjectsV2",
            "S3.DeleteObjects",
            "S3.ListMultipartUploads",
            "S3.PutObject",
            "S3.GetObject",
            "S3.HeadObject",
            "S3.DeleteObject",
            "S3.CreateMultipartUpload",
            "S3.UploadPart",
            "S3.CompleteMultipartUpload",
            "S3.AbortMultipartUpload",
            "S3.ListParts")),
    /**
     * Another transaction holds an item: a cancelled transaction with the reason {@code TransactionConflict} for one of its
     * actions, or a {@code TransactionConflictException} for a single write. Never for a transaction whose token is known to
     * have been executed: AWS answers those with success.
     */
    TRANSACTION_CONFLICT(
            Set.of("DynamoDB.TransactWriteItems", "DynamoDB.PutItem", "DynamoDB.UpdateItem", "DynamoDB.DeleteItem")),
    /**
     * The response to a transaction is lost, and its next repetitions by the same token are answered with
     * {@code TransactionInProgressException}. Only for requests with a token.
     */
    TRANSACTION_IN_PROGRESS(Set.of("DynamoDB.TransactWriteItems")),
    /** Some keys of a batch read are not read and come back as unprocessed; at least one is read. */
    UNPROCESSED_KEYS(Set.of("DynamoDB.BatchGetItem")),
    /**
     * A read of a shard that has records answers none, with a valid iterator and more than 0 milliseconds behind the tip; and so
     * for some reads more. A read at the tip is left as it is.
     */
    EMPTY_READ(Set.of("Kinesis.GetRecords")),
    /** The shard iterator is older than five minutes. */
    EXPIRED_ITERATOR(Set.of("Kinesis.GetRecords"));

    @SuppressWarnings("ImmutableEnumChecker") // Set.of is immutable.
    private final Set<String> operations;

    Fault(Set<String> operations) {
        this.operations = operations;
    }

    /** Tells whether the operation, as {@code DynamoDB.GetItem} or {@code S3.PutObject}, can meet this fault. */
    public boolean canHit(String operation) {
        return operations.isEmpty() || operations.contains(operation);
    }
}
