package io.millrace.cli;

import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.LocalRun;
import io.millrace.local.ProcessChaos.Misfortune;
import io.millrace.time.WatermarkStrategy;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** One run of a pipeline with its functions in processes that are killed, to the checked result. */
final class ChaosRun {
    /** What a moto server gets unless the user says otherwise. */
    static final long MOTO_RECORDS = 2_000;

    private static final int SHARDS = 4;
    private static final int PROCESSES_MAX = 4;

    private final Terminal terminal;
    private final ChaosOptions options;
    private final FoundPipeline pipeline;
    private final @Nullable Example example;
    private final InputSource input;

    ChaosRun(
            Terminal terminal,
            ChaosOptions options,
            FoundPipeline pipeline,
            @Nullable Example example,
            InputSource input) {
        this.terminal = terminal;
        this.options = options;
        this.pipeline = pipeline;
        this.example = example;
        this.input = input;
    }

    /** Runs it; false if the result is not what it must be or not all kills could be made, which is then said. */
    boolean run() throws IOException, InterruptedException {
        try (ChaosPlaces places = ChaosPlaces.open(terminal, options)) {
            InputSource selected = selected(places);
            int batchRecords = options.batchRecords(new InputPublishing(terminal, selected).count());
            ResultTables calm = example == null ? calmResult(selected) : null;
            InputPublishing publishing = new InputPublishing(terminal, selected);
            ChaosFunctions functions = new ChaosFunctions(options, pipeline, places.functionEnvironment());
            try (functions;
                    Example.Input records = publishing.open();
                    KinesisClient kinesis = places.kinesis().kinesis();
                    DynamoDbClient dynamoDb = places.dynamoDb().dynamoDb();
                    LocalRun run = LocalRun.builder(pipeline::definition, places.dynamoDb())
                            .kinesis(places.kinesis())
                            .functions(functions::start)
                            .ticks(functions::startTicks)
                            .batchRecords(batchRecords)
                            .concurrencyMax(PROCESSES_MAX)
                            .build()) {
                run.provision(SHARDS);
                Processing processing = new Processing(terminal, run, example);
                processing.noteOtherShards(kinesis, SHARDS);
                long published = publishing.publish(kinesis, records);
                Example.Expectation expectation = example == null ? null : example.expectation();
                long held = processing.readStreams(kinesis, expectation);
                requireNewStream(held, published);
                functions.spreadOver(held);
                Duration duration = processing.workOff(held, true).duration();
                ResultTables result = ResultTables.read(dynamoDb, pipeline.plan());
                terminal.out().println();
                ChaosSummary.of(
                                pipeline.name(),
                                places.describe(),
                                published,
                                batchRecords,
                                duration,
                                run.statistics(),
                                functions)
                        .lines()
                        .forEach(terminal.out()::println);
                boolean noneGivenUp = processing.checkNoneGivenUp();
                boolean allHappened = checkMisfortunes(functions.injected());
                return check(result, calm, expectation) && noneGivenUp && allHappened;
            }
        }
    }

    private InputSource selected(ChaosPlaces places) {
        if (input.limit() != null || !places.moto()) {
            return input;
        }
        terminal.out()
                .println("Its transactions slow down as its tables grow: at most " + MOTO_RECORDS
                        + " records are published. --limit takes another number.");
        return input.limitedTo(MOTO_RECORDS);
    }

    /** What the tables hold after a run without kills, in this process, on an embedded AWS of its own. */
    private ResultTables calmResult(InputSource selected) throws IOException, InterruptedException {
        terminal.out().println("First a run without kills, for the result to expect.");
        try (EmbeddedAws aws = EmbeddedAws.create();
                AwsEndpoint endpoint = AwsEndpoint.of(aws);
                KinesisClient kinesis = endpoint.kinesis();
                DynamoDbClient dynamoDb = endpoint.dynamoDb();
                LocalRun run = LocalRun.of(pipeline::definition, endpoint)) {
            run.provision(SHARDS);
            Terminal quiet = new Terminal(new PrintWriter(Writer.nullWriter()), terminal.err(), false);
            InputPublishing publishing = new InputPublishing(quiet, selected);
            long published;
            try (Example.Input records = selected.opener().open(toldLater -> {})) {
                published = publishing.publish(kinesis, records);
            }
            new Processing(terminal, run, null).workOff(published, true);
            return ResultTables.read(dynamoDb, pipeline.plan());
        }
    }

    /** Records that an earlier run has committed would be passed over, and kills among them would prove nothing. */
    private static void requireNewStream(long held, long published) {
        if (held != published) {
            throw CommandFailure.failed(
                    "The stream holds " + held + " records, but this run has published " + published
                            + ". The chaos needs an endpoint that nothing else has used or uses: start it anew.",
                    null);
        }
    }

    private boolean checkMisfortunes(Map<Misfortune, Long> injected) {
        long kills = ChaosSummary.kills(injected);
        long timeOuts = ChaosSummary.timeOuts(injected);
        if (kills >= options.kills() && timeOuts >= options.timeOuts()) {
            return true;
        }
        terminal.err()
                .println("millrace: Only " + kills + " of " + options.kills() + " kills and " + timeOuts + " of "
                        + options.timeOuts()
                        + " time-outs happened before the records ran out. Take more records or fewer kills.");
        return false;
    }

    private boolean check(ResultTables result, @Nullable ResultTables calm, Example.@Nullable Expectation expectation) {
        if (example != null && expectation != null) {
            Example.Board board = example.board(result);
            return check(
                    "The board is the one expected",
                    board.size(),
                    expectation.differences(board, WatermarkStrategy.END_OF_INPUT),
                    expectation.board().csv().equals(board.csv()));
        }
        ResultTables expected = Objects.requireNonNull(calm, "without an example there is a calm run");
        boolean equal = check(
                "The result is that of the run without kills",
                result.size(),
                result.differences(expected),
                ResultTables.json(result.tables()).equals(ResultTables.json(expected.tables())));
        if (!equal) {
            terminal.err()
                    .println(
                            "millrace: A pipeline that reads a clock, draws at random, or depends on the order between shards"
                                    + " may differ from run to run without any fault.");
        }
        return equal;
    }

    private boolean check(String praise, int rows, List<String> differences, boolean sameBytes) {
        if (differences.isEmpty() && sameBytes) {
            terminal.out().println(praise + ", to the byte: " + rows + " rows.");
            return true;
        }
        differences.stream().limit(PipelineRun.DIFFERENCES_SHOWN_MAX).forEach(terminal.err()::println);
        terminal.err()
                .println(
                        differences.isEmpty()
                                ? "millrace: The rows are those expected, but not their bytes."
                                : "millrace: The result differs from the one expected in " + differences.size()
                                        + " rows; the first are above.");
        return false;
    }
}
