package io.millrace.local.internal.kinesis;

/**
 * How a shard writes places as sequence numbers and reads them back. A record's place is its number in the shard: 1 for
 * the first. Place 0 is the start of the shard; the end of a closed shard is the place that the next record would have had.
 */
sealed interface ShardNumbers permits AwsNumbers, ShortNumbers {
    /** What {@link #placeOf} answers for a number of the end of the shard, if that number does not tell the place. */
    long END_OF_SHARD = Long.MAX_VALUE;

    long NO_PLACE = -1;
    int NO_SHARD = -1;

    /** Which numbers the shards of a service have. */
    interface Scheme {
        /** The numbers of a new shard; {@code createdSeconds} is above those of its parents and of deleted streams. */
        ShardNumbers of(String stream, int shardIndex, long createdSeconds);
    }

    /** The sequence number of a record, or of the start of the shard. */
    String numberOf(long place, long arrivalMillis);

    /** The sequence number of the end of the shard. */
    String endNumber(long endPlace, long closedMillis);

    /** The place of a sequence number, given out already or not, or {@link #NO_PLACE} if no place has that number. */
    long placeOf(String number);

    /** The index of the shard that a sequence number names, or {@link #NO_SHARD} if it does not name any. */
    int shardIndexIn(String number);
}
