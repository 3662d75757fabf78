package io.millrace.local.internal.kinesis;

import org.jspecify.annotations.Nullable;

/**
 * Which shards {@code ListShards} shows.
 *
 * @param millis the time of {@code AT_TIMESTAMP} and {@code FROM_TIMESTAMP}, 0 for the others
 */
record ShardFilter(Type type, long millis) {
    enum Type {
        AFTER_SHARD_ID,
        AT_TRIM_HORIZON,
        FROM_TRIM_HORIZON,
        AT_LATEST,
        AT_TIMESTAMP,
        FROM_TIMESTAMP
    }

    static final ShardFilter ALL = new ShardFilter(Type.FROM_TRIM_HORIZON, 0);

    /** Reads the filter of a request; {@code AFTER_SHARD_ID} is a start position and filters nothing. */
    static ShardFilter of(@Nullable RequestMembers members) {
        if (members == null) {
            return ALL;
        }
        Type type = members.requiredEnum("Type", Type.class);
        if (type == Type.AFTER_SHARD_ID && !members.has("ShardId")) {
            throw KinesisErrors.invalidArgument("ShardId must be provided when ShardFilter type is " + type + ".");
        }
        if (type != Type.AT_TIMESTAMP && type != Type.FROM_TIMESTAMP) {
            return new ShardFilter(type, 0);
        }
        Long millis = members.millis("Timestamp");
        if (millis == null) {
            throw KinesisErrors.invalidArgument("Timestamp must be provided when ShardFilter type is " + type + ".");
        }
        return new ShardFilter(type, millis);
    }

    /** @param horizonMillis the oldest time within the stream's retention and its life */
    boolean shows(Shard shard, long horizonMillis) {
        return switch (type) {
            case AFTER_SHARD_ID, FROM_TRIM_HORIZON -> true;
            case AT_LATEST -> shard.isOpen();
            case AT_TRIM_HORIZON -> wasOpenAt(shard, horizonMillis);
            case AT_TIMESTAMP -> wasOpenAt(shard, millis);
            case FROM_TIMESTAMP -> closedAtOrAfter(shard, Math.max(millis, horizonMillis));
        };
    }

    private static boolean wasOpenAt(Shard shard, long millis) {
        return shard.createdMillis() <= millis && closedAtOrAfter(shard, millis);
    }

    private static boolean closedAtOrAfter(Shard shard, long millis) {
        Long closed = shard.closedMillis();
        return closed == null || closed >= millis;
    }
}
