package io.millrace.cli;

import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.LocalRun;
import io.millrace.local.LocalRunStatistics;
import io.millrace.time.WatermarkStrategy;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** One run of a pipeline from its input to the checked result. */
final class PipelineRun {
    /** How many differences are shown; the rest is counted. */
    static final int DIFFERENCES_SHOWN_MAX = 10;

    /** How many rows of a table are shown. */
    static final int ROWS_SHOWN_MAX = 10;

    private final Terminal terminal;
    private final RunOptions options;
    private final @Nullable Example example;

    PipelineRun(Terminal terminal, RunOptions options) {
        this.terminal = terminal;
        this.options = options;
        this.example = options.example();
    }

    /** Runs it; false if the result is not what it must be, which is then said. */
    boolean run() throws IOException, InterruptedException {
        InputPublishing publishing = publishing();
        try (Example.Input input = publishing == null ? null : publishing.open();
                EmbeddedAws embedded = options.endpoint() == null ? EmbeddedAws.create() : null;
                AwsEndpoint endpoint = embedded == null ? remote(options.endpoint()) : AwsEndpoint.of(embedded);
                KinesisClient kinesis = endpoint.kinesis();
                DynamoDbClient dynamoDb = endpoint.dynamoDb();
                LocalRun run = localRun(endpoint)) {
            RemotePlace.checkAnswers(kinesis, options.endpoint(), "--endpoint");
            run.provision(options.shards());
            refuseIfEnded(run);
            Processing processing = new Processing(terminal, run, example);
            processing.noteOtherShards(kinesis, options.shards());
            long published = publishing == null || input == null ? 0 : publishing.publish(kinesis, input);
            Example.Expectation expectation = example == null ? null : example.expectation();
            long held = processing.readStreams(kinesis, expectation);
            Processing.Result worked = processing.workOff(held, options.drain());
            ResultTables result = ResultTables.read(dynamoDb, options.pipeline().plan());
            Example.Board board = example == null ? null : example.board(result);
            RunSummary summary = summary(run, published, input == null ? 0 : input.brokenLines(), worked.duration());
            terminal.out().println();
            summary.lines(board == null ? result.facts() : board.facts()).forEach(terminal.out()::println);
            if (board == null) {
                show(result);
            }
            writeOutput(result, board);
            boolean complete = processing.checkNoneGivenUp();
            return check(expectation, board, worked.watermark()) && complete;
        }
    }

    /** What a stage gets behind the end of its input is late for everything, and nobody would see why. */
    private void refuseIfEnded(LocalRun run) {
        if (options.input() == null) {
            return;
        }
        List<String> ended = run.endedStages();
        if (!ended.isEmpty()) {
            throw CommandFailure.failed(
                    "The pipeline '" + options.pipeline().name() + "' has ended: an earlier run has drained the stages "
                            + String.join(", ", ended)
                            + " and closed their last windows, so all that came now would be late."
                            + " Take another endpoint or start this one anew, or look at what is there by --no-input. A"
                            + " pipeline that is to be run further is run with --no-drain.",
                    null);
        }
    }

    private @Nullable InputPublishing publishing() {
        InputSource input = options.input();
        return input == null ? null : new InputPublishing(terminal, input);
    }

    private AwsEndpoint remote(@Nullable URI url) {
        AwsEndpoint endpoint =
                RemotePlace.connect(Objects.requireNonNull(url, "without an endpoint it is the embedded AWS"));
        if (!endpoint.isMoto()) {
            return endpoint;
        }
        terminal.out().println(RemotePlace.MOTO_NOTE);
        return endpoint.oneRequestAtATime();
    }

    private LocalRun localRun(AwsEndpoint endpoint) {
        Long seed = options.chaosSeed();
        return seed == null
                ? LocalRun.of(options::definition, endpoint)
                : LocalRun.withChaos(options::definition, endpoint, seed);
    }

    /** Shows the first rows of each table. */
    private void show(ResultTables result) {
        for (ResultTable table : result.tables()) {
            if (table.items().isEmpty()) {
                continue;
            }
            terminal.out().println();
            terminal.out().println(table.name());
            table.preview(ROWS_SHOWN_MAX).forEach(line -> terminal.out().println("  " + line));
            int more = table.items().size() - ROWS_SHOWN_MAX;
            if (more > 0) {
                terminal.out().println("  and " + more + " rows more; --output FILE.csv or FILE.json writes all.");
            }
        }
    }

    private void writeOutput(ResultTables result, Example.@Nullable Board board) {
        ResultFile output = options.output();
        if (output != null) {
            output.write(result, board);
            terminal.out().println((board == null ? "The result" : "The board") + " is in " + output.path() + ".");
        }
    }

    private boolean check(Example.@Nullable Expectation expectation, Example.@Nullable Board board, long watermark) {
        if (expectation == null || board == null) {
            return true;
        }
        List<String> differences = expectation.differences(board, watermark);
        if (differences.isEmpty()) {
            terminal.out()
                    .println("Checked: the rows are what the stream says, each of them."
                            + (watermark == WatermarkStrategy.END_OF_INPUT ? "" : openWindows(watermark)));
            return true;
        }
        differences.stream().limit(DIFFERENCES_SHOWN_MAX).forEach(terminal.err()::println);
        terminal.err()
                .println(
                        "millrace: the board differs from what the stream says in " + differences.size()
                                + " rows; the first are above. (A stream forgets records after its retention, and the board does not.)");
        return false;
    }

    private static String openWindows(long watermark) {
        return watermark == WatermarkStrategy.NO_WATERMARK
                ? " All windows are open: there is no watermark yet."
                : " Windows are open that end after " + Instant.ofEpochMilli(watermark) + ", the watermark.";
    }

    private RunSummary summary(LocalRun run, long published, long brokenLines, Duration processing) {
        LocalRunStatistics statistics = run.statistics();
        return new RunSummary(
                options.pipeline().name(),
                options.endpoint() == null
                        ? "the embedded AWS"
                        : options.endpoint().toString(),
                published,
                brokenLines,
                statistics.acknowledged(),
                processing,
                statistics.invocations(),
                statistics.redelivered(),
                statistics.duplicates(),
                statistics.conflicts(),
                statistics.deadLetters(),
                statistics.timersFired(),
                statistics.ticks(),
                statistics.late(),
                run.meter().requestsTo("DynamoDb"),
                run.meter().readUnits(),
                run.meter().writeUnits(),
                statistics.lastFailure(),
                options.chaosSeed() == null ? null : statistics.injected());
    }
}
