package io.millrace.local.testing;

import java.time.Duration;
import java.time.Instant;

/** What a driver is built with; see the methods of {@link PipelineTestDriver.Builder}. */
record DriverSettings(int shards, int batchSize, Instant start, Duration timeout, long seed) {
    static final DriverSettings DEFAULT =
            new DriverSettings(1, 100, Instant.parse("2026-01-31T12:00:00.250Z"), Duration.ofSeconds(60), 0);

    DriverSettings withShards(int newShards) {
        return new DriverSettings(newShards, batchSize, start, timeout, seed);
    }

    DriverSettings withBatchSize(int newBatchSize) {
        return new DriverSettings(shards, newBatchSize, start, timeout, seed);
    }

    DriverSettings withStart(Instant newStart) {
        return new DriverSettings(shards, batchSize, newStart, timeout, seed);
    }

    DriverSettings withTimeout(Duration newTimeout) {
        return new DriverSettings(shards, batchSize, start, newTimeout, seed);
    }

    DriverSettings withSeed(long newSeed) {
        return new DriverSettings(shards, batchSize, start, timeout, newSeed);
    }
}
