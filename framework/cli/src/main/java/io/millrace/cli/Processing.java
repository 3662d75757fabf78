package io.millrace.cli;

import io.millrace.local.LocalRun;
import io.millrace.local.LocalRunStatistics;
import io.millrace.time.WatermarkStrategy;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** What a pipeline's stages work off: what the streams hold before, and the work itself with its progress. */
final class Processing {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration STALL_MAX = Duration.ofMinutes(2);

    private final Terminal terminal;
    private final LocalRun run;
    private final @Nullable Example example;

    Processing(Terminal terminal, LocalRun run, @Nullable Example example) {
        this.terminal = terminal;
        this.run = run;
        this.example = example;
    }

    /** Reads the streams, adds the example's one to the expectation, and returns how many records there are in all. */
    long readStreams(KinesisClient kinesis, Example.@Nullable Expectation expectation) {
        long held = 0;
        for (String stream : run.streams()) {
            boolean expected = example != null && stream.equals(example.stream());
            held += new StreamReader(kinesis, stream).read(data -> {
                if (expected && expectation != null) {
                    expectation.add(data);
                }
            });
        }
        return held;
    }

    /** Says so if a stream exists and has another number of shards. */
    void noteOtherShards(KinesisClient kinesis, int shards) {
        for (String stream : run.streams()) {
            int open = kinesis.describeStreamSummary(request -> request.streamName(stream))
                    .streamDescriptionSummary()
                    .openShardCount();
            if (open != shards) {
                terminal.out().println("The stream '" + stream + "' is there already, with " + open + " open shards.");
            }
        }
    }

    /**
     * What working off came to.
     *
     * @param watermark up to which windows are closed, in milliseconds since the epoch
     */
    record Result(Duration duration, long watermark) {}

    /**
     * Starts the stages and waits until they have worked off the streams.
     *
     * @param drain whether the last windows are closed then
     */
    Result workOff(long held, boolean drain) throws InterruptedException {
        long start = System.nanoTime();
        Progress progress = Progress.start(terminal, "processing", OptionalLong.of(held));
        run.start();
        long acknowledged = 0;
        long movedNanos = start;
        while (!run.awaitDrained(POLL)) {
            LocalRunStatistics statistics = run.statistics();
            if (statistics.acknowledged() > acknowledged) {
                acknowledged = statistics.acknowledged();
                movedNanos = System.nanoTime();
            } else if (System.nanoTime() - movedNanos > STALL_MAX.toNanos()) {
                progress.abandon();
                throw CommandFailure.failed(
                        "No record was finished for " + STALL_MAX.toSeconds() + " s, at " + acknowledged + " of " + held
                                + "; the last failure is: " + statistics.lastFailure(),
                        null);
            }
            progress.update(acknowledged);
        }
        progress.finish(run.statistics().acknowledged());
        long watermark = finish(drain);
        return new Result(Duration.ofNanos(System.nanoTime() - start), watermark);
    }

    /** Lets the timers fire that the records have left; gives the lowest watermark of the stages. */
    private long finish(boolean drain) throws InterruptedException {
        try {
            if (drain) {
                run.endInput();
                return WatermarkStrategy.END_OF_INPUT;
            }
            return run.settle().values().stream()
                    .mapToLong(Long::longValue)
                    .min()
                    .orElse(WatermarkStrategy.END_OF_INPUT);
        } catch (IllegalStateException e) {
            throw CommandFailure.failed("The records are worked off, but not all timers: " + e.getMessage(), e);
        }
    }

    /** False, and said, if a mapping gave up records. */
    boolean checkNoneGivenUp() {
        LocalRunStatistics statistics = run.statistics();
        if (statistics.discarded() == 0) {
            return true;
        }
        terminal.err()
                .println("millrace: " + statistics.discarded() + " records were given up; the last failure is: "
                        + statistics.lastFailure());
        return false;
    }
}
