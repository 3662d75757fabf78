package io.millrace.cli;

import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a chaos run is to do, checked as far as that goes without running it.
 *
 * @param kills how many processes are killed
 * @param endpoint where both services are; null for the embedded AWS
 * @param kinesisEndpoint where Kinesis is; null for where DynamoDB is
 * @param seed of the moments and their order
 * @param javas what the functions run on, in turn
 */
record ChaosOptions(
        int kills, @Nullable URI endpoint, @Nullable URI kinesisEndpoint, long seed, List<JavaHome> javas) {
    private static final int KILLS_PER_TIME_OUT = 5;
    /** Batches for each thing that is to happen, so that there is room between them. */
    private static final double BATCHES_PER_MISFORTUNE = 4.0 / 3;

    private static final int BATCH_RECORDS_MAX = 500;

    /** How many invocations are taken for timed out while their processes go on: one for each five kills. */
    int timeOuts() {
        return (kills + KILLS_PER_TIME_OUT - 1) / KILLS_PER_TIME_OUT;
    }

    /** How many ticks' processes are killed, beside those of batches, if there are so many ticks. */
    int tickKills() {
        return timeOuts();
    }

    /** How many ticks are taken for timed out while their processes go on, so that they collide with the next ones. */
    int tickTimeOuts() {
        return (timeOuts() + 1) / 2;
    }

    /** The most records of a batch, such that there are enough batches for all that is to happen. */
    int batchRecords(long records) {
        double batches = Math.max(1, (kills + timeOuts()) * BATCHES_PER_MISFORTUNE);
        return (int) Math.max(1, Math.min(BATCH_RECORDS_MAX, Math.floor(records / batches)));
    }
}
