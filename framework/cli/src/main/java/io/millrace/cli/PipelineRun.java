package io.millrace.cli;

import io.millrace.cli.Example.OutgoingRecord;
import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.LocalRun;
import io.millrace.local.LocalRunStatistics;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** One run of a pipeline from its input to the checked result. */
final class PipelineRun {
    /** How many differences are shown; the rest is counted. */
    static final int DIFFERENCES_SHOWN_MAX = 10;

    private static final Duration POLL = Duration.ofMillis(100);
    private static final Duration STALL_MAX = Duration.ofMinutes(2);
    private static final Duration FIRST_ANSWER_TIMEOUT = Duration.ofSeconds(15);

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
        try (Example.Input input = openInput();
                EmbeddedAws embedded = options.endpoint() == null ? EmbeddedAws.create() : null;
                AwsEndpoint endpoint = embedded == null ? remote(options.endpoint()) : AwsEndpoint.of(embedded);
                KinesisClient kinesis = endpoint.kinesis();
                DynamoDbClient dynamoDb = endpoint.dynamoDb();
                LocalRun run = localRun(endpoint)) {
            checkAnswers(kinesis);
            run.provision(options.shards());
            noteOtherShards(kinesis, run);
            long published = input == null ? 0 : publish(kinesis, input);
            Example.Expectation expectation = example == null ? null : example.expectation();
            long held = readStreams(kinesis, run, expectation);
            Duration processing = process(run, held);
            Example.Board board = readBoard(dynamoDb);
            RunSummary summary = summary(run, published, input == null ? 0 : input.brokenLines(), processing);
            terminal.out().println();
            summary.lines(board == null ? List.of() : board.facts()).forEach(terminal.out()::println);
            writeOutput(board);
            return check(run, expectation, board);
        }
    }

    private Example.@Nullable Input openInput() throws IOException {
        RunOptions.Selection selection = options.input();
        if (selection == null || example == null) {
            return null;
        }
        try {
            return example.open(selection.file(), terminal.err()::println);
        } catch (IOException e) {
            throw CommandFailure.failed("The input cannot be read: " + e.getMessage() + ".", e);
        }
    }

    /** Speaks JSON to Kinesis, as the SDK's setting asks of this whole process: some stand-ins read no CBOR. */
    private AwsEndpoint remote(@Nullable URI url) {
        System.setProperty(SdkSystemSetting.CBOR_ENABLED.property(), "false");
        try {
            AwsEndpoint endpoint =
                    AwsEndpoint.at(Objects.requireNonNull(url, "without an endpoint it is the embedded AWS"));
            if (!endpoint.isMoto()) {
                return endpoint;
            }
            terminal.out()
                    .println("The endpoint is a moto server, whose cancelled transactions undo what others wrote"
                            + " meanwhile: requests go one at a time.");
            return endpoint.oneRequestAtATime();
        } catch (SdkClientException e) {
            throw CommandFailure.failed(
                    "The endpoint " + url + " is not on this machine, and no AWS region is configured for it ("
                            + e.getMessage() + "). Set AWS_REGION.",
                    e);
        }
    }

    private LocalRun localRun(AwsEndpoint endpoint) {
        Long seed = options.chaosSeed();
        return seed == null
                ? LocalRun.of(options.definitions(), endpoint)
                : LocalRun.withChaos(options.definitions(), endpoint, seed);
    }

    private void checkAnswers(KinesisClient kinesis) {
        try {
            kinesis.listStreams(
                    request -> request.overrideConfiguration(limits -> limits.apiCallTimeout(FIRST_ANSWER_TIMEOUT)));
        } catch (SdkException e) {
            boolean silent = e instanceof SdkClientException;
            throw CommandFailure.failed(
                    (silent ? "Nothing answers as AWS at " : "What answers is not usable as AWS at ")
                            + options.endpoint()
                            + ": " + firstLine(CommandFailure.rootOf(e).getMessage())
                            + ". Start a stand-in with ./millrace local, or leave out --endpoint.",
                    e);
        }
    }

    private static String firstLine(@Nullable String text) {
        return String.valueOf(text).lines().findFirst().orElse("");
    }

    private void noteOtherShards(KinesisClient kinesis, LocalRun run) {
        for (String stream : run.streams()) {
            int open = kinesis.describeStreamSummary(request -> request.streamName(stream))
                    .streamDescriptionSummary()
                    .openShardCount();
            if (open != options.shards()) {
                terminal.out().println("The stream '" + stream + "' is there already, with " + open + " open shards.");
            }
        }
    }

    private long publish(KinesisClient kinesis, Example.Input input) throws IOException, InterruptedException {
        RunOptions.Selection selection = Objects.requireNonNull(options.input(), "there is an input");
        StreamPublisher publisher =
                new StreamPublisher(kinesis, Objects.requireNonNull(example, "it gave the input").stream());
        Progress progress = Progress.start(terminal, "publishing", size(input, selection));
        long limit = selection.limit() == null ? Long.MAX_VALUE : selection.limit();
        long taken = 0;
        long skipped = 0;
        try {
            while (taken < limit) {
                OutgoingRecord record = input.next();
                if (record == null) {
                    break;
                }
                if (skipped < selection.skip()) {
                    skipped++;
                    continue;
                }
                publisher.put(record);
                taken++;
                progress.update(publisher.published());
            }
            publisher.flush();
        } catch (IOException e) {
            progress.abandon();
            throw CommandFailure.failed(
                    "The input cannot be read to its end: " + e.getMessage() + ". " + publisher.published()
                            + " records of it are published.",
                    e);
        }
        progress.finish(publisher.published());
        return publisher.published();
    }

    private static OptionalLong size(Example.Input input, RunOptions.Selection selection) {
        if (input.size().isEmpty()) {
            return OptionalLong.empty();
        }
        long behindSkip = Math.max(0, input.size().getAsLong() - selection.skip());
        return OptionalLong.of(selection.limit() == null ? behindSkip : Math.min(behindSkip, selection.limit()));
    }

    private long readStreams(KinesisClient kinesis, LocalRun run, Example.@Nullable Expectation expectation) {
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

    private Duration process(LocalRun run, long held) throws InterruptedException {
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
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private Example.@Nullable Board readBoard(DynamoDbClient dynamoDb) {
        if (example == null) {
            return null;
        }
        List<Map<String, AttributeValue>> items = new ArrayList<>();
        String table = example.table();
        dynamoDb.scanPaginator(request -> request.tableName(table).consistentRead(true))
                .items()
                .forEach(items::add);
        return example.board(items);
    }

    private void writeOutput(Example.@Nullable Board board) {
        Path output = options.output();
        if (output == null || board == null) {
            return;
        }
        try {
            Files.writeString(output, board.csv());
        } catch (IOException e) {
            throw CommandFailure.failed("The output file '" + output + "' cannot be written: " + e + ".", e);
        }
        terminal.out().println("The board is in " + output + ".");
    }

    private boolean check(LocalRun run, Example.@Nullable Expectation expectation, Example.@Nullable Board board) {
        boolean good = true;
        LocalRunStatistics statistics = run.statistics();
        if (statistics.discarded() > 0) {
            terminal.err()
                    .println("millrace: " + statistics.discarded() + " records were given up; the last failure is: "
                            + statistics.lastFailure());
            good = false;
        }
        if (expectation == null || board == null) {
            return good;
        }
        List<String> differences = expectation.differences(board);
        if (differences.isEmpty()) {
            terminal.out().println("Checked: the board is what the stream says, row by row.");
            return good;
        }
        differences.stream().limit(DIFFERENCES_SHOWN_MAX).forEach(terminal.err()::println);
        terminal.err()
                .println(
                        "millrace: the board differs from what the stream says in " + differences.size()
                                + " rows; the first are above. (A stream forgets records after its retention, and the board does not.)");
        return false;
    }

    private RunSummary summary(LocalRun run, long published, long brokenLines, Duration processing) {
        LocalRunStatistics statistics = run.statistics();
        return new RunSummary(
                options.pipeline(),
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
                run.meter().requestsTo("DynamoDb"),
                run.meter().readUnits(),
                run.meter().writeUnits(),
                statistics.lastFailure(),
                options.chaosSeed() == null ? null : statistics.injected());
    }
}
