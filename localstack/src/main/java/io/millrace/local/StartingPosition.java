package io.millrace.local;

import java.time.Instant;

/** Where a new mapping begins to read the shards that it finds at its start. */
public sealed interface StartingPosition {
    /** The oldest record that the stream still holds. */
    record TrimHorizon() implements StartingPosition {}

    /**
     * Behind the newest record at the time when the shard is opened. Shards that appear later (children of a split or
     * merge) are read from their beginning, so that a reshard loses nothing.
     */
    record Latest() implements StartingPosition {}

    /** The first record that arrived at this time or later. */
    record AtTimestamp(Instant timestamp) implements StartingPosition {}

    static StartingPosition trimHorizon() {
        return new TrimHorizon();
    }

    static StartingPosition latest() {
        return new Latest();
    }

    static StartingPosition atTimestamp(Instant timestamp) {
        return new AtTimestamp(timestamp);
    }
}
