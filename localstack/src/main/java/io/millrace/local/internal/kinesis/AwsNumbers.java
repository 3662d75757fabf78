package io.millrace.local.internal.kinesis;

/** The numbers that AWS gives: 56 digits that increase from parents to children. */
record AwsNumbers(int shardIndex, long createdSeconds) implements ShardNumbers {
    static final Scheme SCHEME = (stream, shardIndex, createdSeconds) -> new AwsNumbers(shardIndex, createdSeconds);

    @Override
    public String numberOf(long place, long arrivalMillis) {
        return new SequenceNumber(createdSeconds, shardIndex, place, Math.floorDiv(arrivalMillis, 1_000)).text();
    }

    @Override
    public String endNumber(long endPlace, long closedMillis) {
        return numberOf(END_OF_SHARD, closedMillis);
    }

    @Override
    public long placeOf(String number) {
        SequenceNumber read = SequenceNumber.parse(number);
        if (read == null || read.shardCreatedSeconds() != createdSeconds || read.shardIndex() != shardIndex) {
            return NO_PLACE;
        }
        return read.recordNumber() >= 0 ? read.recordNumber() : NO_PLACE;
    }

    @Override
    public int shardIndexIn(String number) {
        SequenceNumber read = SequenceNumber.parse(number);
        return read == null ? NO_SHARD : read.shardIndex();
    }
}
