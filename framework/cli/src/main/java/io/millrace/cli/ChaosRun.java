package io.millrace.cli;

import io.millrace.PipelineDefinition;
import io.millrace.functions.flights.FlightReports;
import io.millrace.functions.flights.OnTimeBoard;
import io.millrace.local.LocalRun;
import io.millrace.local.ProcessChaos.Misfortune;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** One run of the flights with their functions in processes that are killed, to the checked board. */
final class ChaosRun {
    /** What a moto server gets unless the user says otherwise. */
    static final long MOTO_RECORDS = 2_000;

    private static final int SHARDS = 4;
    private static final int PROCESSES_MAX = 4;

    private final Terminal terminal;
    private final ChaosOptions options;
    private final Example example = new FlightsExample();
    private final Supplier<PipelineDefinition> definitions = OnTimeBoard::new;

    ChaosRun(Terminal terminal, ChaosOptions options) {
        this.terminal = terminal;
        this.options = options;
    }

    /** Runs it; false if the board is not what it must be or not all kills could be made, which is then said. */
    boolean run() throws IOException, InterruptedException {
        try (ChaosPlaces places = ChaosPlaces.open(terminal, options)) {
            long records = records(places);
            int batchRecords = options.batchRecords(records);
            InputPublishing publishing =
                    new InputPublishing(terminal, example, new RunOptions.Selection(null, 0, records));
            ChaosFunctions functions = new ChaosFunctions(options, definitions.get(), places.functionEnvironment());
            try (functions;
                    Example.Input input = publishing.open();
                    KinesisClient kinesis = places.kinesis().kinesis();
                    DynamoDbClient dynamoDb = places.dynamoDb().dynamoDb();
                    LocalRun run = LocalRun.builder(definitions, places.dynamoDb())
                            .kinesis(places.kinesis())
                            .functions(functions::start)
                            .batchRecords(batchRecords)
                            .concurrencyMax(PROCESSES_MAX)
                            .build()) {
                run.provision(SHARDS);
                Processing processing = new Processing(terminal, run, example);
                processing.noteOtherShards(kinesis, SHARDS);
                long published = publishing.publish(kinesis, input);
                Example.Expectation expectation = example.expectation();
                long held = processing.readStreams(kinesis, expectation);
                requireNewStream(held, published);
                functions.spreadOver(held);
                Duration duration = processing.workOff(held);
                Example.Board board = Objects.requireNonNull(processing.readBoard(dynamoDb), "there is an example");
                terminal.out().println();
                ChaosSummary.of(places.describe(), published, batchRecords, duration, run.statistics(), functions)
                        .lines()
                        .forEach(terminal.out()::println);
                boolean noneGivenUp = processing.checkNoneGivenUp();
                boolean allHappened = checkMisfortunes(functions.injected());
                return check(expectation, board) && noneGivenUp && allHappened;
            }
        }
    }

    private long records(ChaosPlaces places) {
        Long limit = options.limit();
        if (limit != null) {
            return Math.min(limit, FlightReports.BUNDLED_REPORTS);
        }
        if (!places.moto()) {
            return FlightReports.BUNDLED_REPORTS;
        }
        terminal.out()
                .println("Its transactions slow down as its tables grow: " + MOTO_RECORDS
                        + " records are published. --limit takes another number.");
        return MOTO_RECORDS;
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

    private boolean check(Example.Expectation expectation, Example.@Nullable Board board) {
        List<String> differences = expectation.differences(Objects.requireNonNull(board));
        if (differences.isEmpty() && expectation.board().csv().equals(board.csv())) {
            terminal.out().println("The board is the one expected, to the byte: " + board.size() + " rows.");
            return true;
        }
        differences.stream().limit(PipelineRun.DIFFERENCES_SHOWN_MAX).forEach(terminal.err()::println);
        terminal.err()
                .println(
                        differences.isEmpty()
                                ? "millrace: The board's rows are those expected, but not its bytes."
                                : "millrace: The board differs from the one expected in " + differences.size()
                                        + " rows; the first are above.");
        return false;
    }
}
