package io.millrace.local.internal.kinesis;

import io.millrace.local.internal.AwsServiceException;

/** The errors of Kinesis, in AWS's words where they are known. */
final class KinesisErrors {
    private final String account;

    KinesisErrors(String account) {
        this.account = account;
    }

    static AwsServiceException invalidArgument(String message) {
        return AwsServiceException.client("InvalidArgumentException", message);
    }

    static AwsServiceException serialization(String message) {
        return AwsServiceException.client("SerializationException", message);
    }

    /**
     * A member outside of its model.
     *
     * @param value the value as AWS quotes it, or {@code null} unquoted
     * @param path the member's path, such as {@code records.1.member.partitionKey}
     * @param constraint what it must satisfy, such as {@code Member must not be null}
     */
    static AwsServiceException validation(String value, String path, String constraint) {
        return AwsServiceException.client(
                "ValidationException",
                "1 validation error detected: Value " + value + " at '" + path + "' failed to satisfy constraint: "
                        + constraint);
    }

    static AwsServiceException expiredIterator(String created, String now, long toleranceMillis) {
        return AwsServiceException.client(
                "ExpiredIteratorException",
                "Iterator expired. The iterator was created at time " + created + " while right now it is " + now
                        + " which is further in the future than the tolerated delay of " + toleranceMillis
                        + " milliseconds.");
    }

    static AwsServiceException unknownOperation(String operation) {
        return AwsServiceException.client(
                "UnknownOperationException",
                "The embedded AWS does not implement the Kinesis operation " + operation + ".");
    }

    AwsServiceException streamNotFound(String stream) {
        return notFound("Stream " + stream + " under account " + account + " not found.");
    }

    AwsServiceException streamExists(String stream) {
        return AwsServiceException.client(
                "ResourceInUseException", "Stream " + stream + " under account " + account + " already exists.");
    }

    AwsServiceException shardNotFound(String shard, String stream) {
        return notFound("Shard " + shard + " in stream " + stream + " under account " + account + " does not exist");
    }

    AwsServiceException couldNotFindShard(String shard, String stream) {
        return notFound("Could not find shard " + shard + " in stream " + stream + " under account " + account + ".");
    }

    AwsServiceException shardClosed(String shard, String stream) {
        return invalidArgument("Shard " + shard + " in stream " + stream + " under account " + account
                + " has already been merged or split, and thus is not eligible for merging or splitting.");
    }

    AwsServiceException cannotSplitAt(String hashKey, Shard shard, String stream) {
        return invalidArgument("NewStartingHashKey " + hashKey + " used in SplitShard() on shard " + shard.id()
                + " in stream " + stream + " under account " + account
                + " is not both greater than one plus the shard's StartingHashKey "
                + shard.range().start() + " and less than the shard's EndingHashKey "
                + shard.range().end() + ".");
    }

    AwsServiceException notAdjacent(String shard, String other, String stream) {
        return invalidArgument("Shards " + shard + " and " + other + " in stream " + stream + " under account "
                + account + " are not an adjacent pair of shards eligible for merging");
    }

    AwsServiceException foreignSequenceNumber(String number, String shard, String stream) {
        return invalidArgument("StartingSequenceNumber " + number + " used in GetShardIterator on shard " + shard
                + " in stream " + stream + " under account " + account
                + " is invalid because it did not come from this stream.");
    }

    static AwsServiceException sequenceNumberOfOtherShard(String encoded, String used) {
        return invalidArgument("Invalid StartingSequenceNumber. It encodes " + encoded
                + ", while it was used in a call to a shard with " + used);
    }

    AwsServiceException shardLimit(String region, int current, int limit, int additional) {
        return AwsServiceException.client(
                "LimitExceededException",
                "This request would exceed the shard limit for the account " + account + " in " + region
                        + ". Current shard count for the account: " + current + ". Limit: " + limit
                        + ". Number of additional shards that would have resulted from this request: " + additional
                        + ". Refer to the AWS Service Limits page (https://docs.aws.amazon.com/general/latest/gr/"
                        + "aws_service_limits.html) for current limits and how to request higher limits.");
    }

    AwsServiceException throughputExceeded(String shard, String stream) {
        return AwsServiceException.client(
                "ProvisionedThroughputExceededException",
                "Rate exceeded for shard " + shard + " in stream " + stream + " under account " + account + ".");
    }

    private static AwsServiceException notFound(String message) {
        return AwsServiceException.client("ResourceNotFoundException", message);
    }
}
