package io.millrace.local.testing;

import io.millrace.PipelineDefinition;
import io.millrace.aws.BatchReport;
import io.millrace.local.testing.Batching.Range;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequestEntry;

/** One scenario run over the records in an AWS of its own. For one use. */
final class VerificationRun {
    /** What one PutRecords takes is 500 records and 5 MB; the rest is for what is around the payloads. */
    private static final int REQUEST_RECORDS_MAX = 500;

    private static final int REQUEST_BYTES_MAX = 4 * 1024 * 1024;

    /** Longer than a stage goes without finding its watermark anew, so that each batch meets that of the one before. */
    private static final Duration BETWEEN_BATCHES = Duration.ofSeconds(2);

    private final Supplier<? extends PipelineDefinition> definitions;
    private final DriverSettings settings;
    private final TestClients clients;
    private final Map<String, List<byte[]>> records;
    private final Scenario scenario;
    private final @Nullable Ending undisturbed;

    /**
     * @param records by stream
     * @param undisturbed the undisturbed run of the same batching; null for such a run
     */
    VerificationRun(
            Supplier<? extends PipelineDefinition> definitions,
            DriverSettings settings,
            TestClients clients,
            Map<String, List<byte[]>> records,
            Scenario scenario,
            @Nullable Ending undisturbed) {
        this.definitions = definitions;
        this.settings = settings;
        this.clients = clients;
        this.records = records;
        this.scenario = scenario;
        this.undisturbed = undisturbed;
    }

    /**
     * How a run ended.
     *
     * @param batches the deliveries of each batch, in the order of the batches
     * @param endings for each stage with event time, the attempts to end its input
     * @param changedFields the fields of functions whose values the run has changed
     */
    record Ending(
            Contents contents, List<List<Delivery>> batches, List<List<TestTick>> endings, Set<String> changedFields) {
        /** The requests at which invocations were ended, each once. */
        String crashedAt() {
            Stream<List<String>> deliveries = batches.stream()
                    .flatMap(List::stream)
                    .filter(Delivery::crashed)
                    .map(Delivery::requests);
            Stream<List<String>> attempts = endings.stream()
                    .flatMap(List::stream)
                    .filter(TestTick::crashed)
                    .map(TestTick::requests);
            return Stream.concat(deliveries, attempts)
                    .map(requests -> requests.get(requests.size() - 1))
                    .distinct()
                    .collect(Collectors.joining(" or "));
        }

        long invocations() {
            return Stream.concat(batches.stream(), endings.stream())
                    .mapToLong(List::size)
                    .sum();
        }

        long requests() {
            return Stream.concat(
                            batches.stream().flatMap(List::stream).map(Delivery::requests),
                            endings.stream().flatMap(List::stream).map(TestTick::requests))
                    .mapToLong(List::size)
                    .sum();
        }
    }

    private record LaneBatch(TestLane lane, Range range) {}

    /**
     * Runs it.
     *
     * @throws AssertionError if a record is never got past, or the input does not end
     */
    Ending run() {
        // Not closed: its clients are used again, and its AWS holds nothing but memory.
        PipelineTestDriver driver = new PipelineTestDriver(definitions, settings, clients);
        send(driver);
        // The shards are known before their records come, so that watermarks move with the batches.
        driver.stagesWithEventTime().forEach(driver::tick);
        FunctionFields fields = new FunctionFields();
        driver.plan()
                .stages()
                .forEach(stage -> fields.watch(driver.function(stage.uid()).plan()));
        List<List<Delivery>> deliveries = new ArrayList<>();
        for (LaneBatch batch : batches(driver)) {
            if (scenario.disturbance() == Scenario.Disturbance.COLD_STARTS) {
                driver.restart();
            }
            if (!driver.stagesWithEventTime().isEmpty()) {
                driver.advance(BETWEEN_BATCHES);
            }
            deliveries.add(deliver(batch, deliveries.size()));
        }
        List<List<TestTick>> endings = endInput(driver);
        return new Ending(Contents.of(driver), deliveries, endings, fields.changed());
    }

    /** Closes all windows, so that all runs end at the same event time, however far their batches came. */
    private List<List<TestTick>> endInput(PipelineTestDriver driver) {
        List<List<TestTick>> endings = new ArrayList<>();
        for (String stage : driver.stagesWithEventTime()) {
            int number = endings.size();
            endings.add(driver.endInput(stage, attempt -> endingPlan(number, attempt)));
        }
        return endings;
    }

    private InvocationPlan endingPlan(int stage, int attempt) {
        if (scenario.disturbance() == Scenario.Disturbance.CONFLICTS && attempt == 0) {
            return new InvocationPlan(null, false, true);
        }
        Scenario.Crash crash = scenario.crash();
        if (crash == null || undisturbed == null || !crash.hitsEnding(attempt)) {
            return InvocationPlan.UNDISTURBED;
        }
        List<TestTick> same = undisturbed.endings().get(stage);
        return attempt < same.size()
                        && crash.request() <= same.get(attempt).requests().size()
                ? crash.plan()
                : InvocationPlan.UNDISTURBED;
    }

    private void send(PipelineTestDriver driver) {
        records.forEach((stream, payloads) -> {
            List<PutRecordsRequestEntry> entries = new ArrayList<>();
            int bytes = 0;
            for (int i = 0; i < payloads.size(); i++) {
                byte[] payload = payloads.get(i);
                if (entries.size() == REQUEST_RECORDS_MAX || bytes + payload.length > REQUEST_BYTES_MAX) {
                    put(driver, stream, entries);
                    entries.clear();
                    bytes = 0;
                }
                entries.add(PutRecordsRequestEntry.builder()
                        .data(SdkBytes.fromByteArrayUnsafe(payload))
                        .partitionKey("test")
                        .explicitHashKey(driver.startingHashKey(stream, i % settings.shards()))
                        .build());
                bytes += payload.length;
            }
            if (!entries.isEmpty()) {
                put(driver, stream, entries);
            }
        });
    }

    private static void put(PipelineTestDriver driver, String stream, List<PutRecordsRequestEntry> entries) {
        driver.kinesis().putRecords(request -> request.streamName(stream).records(List.copyOf(entries)));
    }

    /** The batches of all lanes, the lanes in turns. */
    private List<LaneBatch> batches(PipelineTestDriver driver) {
        List<List<LaneBatch>> ofLanes = new ArrayList<>();
        Random random = new Random(settings.seed());
        for (TestLane lane : driver.lanes()) {
            ofLanes.add(scenario.batching().ranges(lane.size(), random).stream()
                    .map(range -> new LaneBatch(lane, range))
                    .toList());
        }
        List<LaneBatch> batches = new ArrayList<>();
        int longest = ofLanes.stream().mapToInt(List::size).max().orElse(0);
        for (int i = 0; i < longest; i++) {
            for (List<LaneBatch> ofLane : ofLanes) {
                if (i < ofLane.size()) {
                    batches.add(ofLane.get(i));
                }
            }
        }
        return batches;
    }

    /** Delivers a batch until it is done; {@link TestLane#checkProgress} bounds how often. */
    private List<Delivery> deliver(LaneBatch batch, int number) {
        List<Delivery> deliveries = new ArrayList<>();
        int from = batch.range().from();
        Delivery delivery;
        do {
            InvocationPlan plan = plan(number, deliveries.size());
            delivery = batch.lane().invoke(from, batch.range().to(), plan);
            deliveries.add(delivery);
            batch.lane().checkProgress(delivery);
            from = delivery.next();
        } while (!delivery.isDone());
        return deliveries;
    }

    private InvocationPlan plan(int batch, int invocation) {
        if (scenario.disturbance() == Scenario.Disturbance.CONFLICTS) {
            return new InvocationPlan(null, false, true);
        }
        Scenario.Crash crash = scenario.crash();
        return crash != null && crash.hits(batch, invocation) && mayCrash(batch, invocation, crash.request())
                ? crash.plan()
                : InvocationPlan.UNDISTURBED;
    }

    private boolean mayCrash(int batch, int invocation, int request) {
        if (undisturbed == null
                || invocation >= undisturbed.batches().get(batch).size()) {
            return false;
        }
        Delivery same = undisturbed.batches().get(batch).get(invocation);
        return mayCrash(same) && request <= same.requests().size();
    }

    /**
     * A crash while a record that has failed runs alone is an attempt by its error policy, which may give the record up
     * for that: no fault of the pipeline.
     */
    static boolean mayCrash(Delivery undisturbed) {
        return undisturbed.report().get(BatchReport.Count.RUN_ALONE) == 0;
    }

    /**
     * The crashes that cover the moments before and after each request of each invocation of a run, once with a new
     * process and once with the same instance. The moment after a request is the one before the next request: in between
     * only memory changes, and what the process did there is what the later of the two adds.
     */
    static Set<Scenario.Crash> crashes(Ending undisturbed) {
        Set<Scenario.Crash> crashes = new LinkedHashSet<>();
        for (List<Delivery> batch : undisturbed.batches()) {
            for (int invocation = 0; invocation < batch.size(); invocation++) {
                Delivery delivery = batch.get(invocation);
                int requests = mayCrash(delivery) ? delivery.requests().size() : 0;
                addAll(crashes, invocation, requests, Scenario.Crash.EVERY_BATCH);
            }
        }
        for (List<TestTick> attempts : undisturbed.endings()) {
            for (int attempt = 0; attempt < attempts.size(); attempt++) {
                addAll(crashes, attempt, attempts.get(attempt).requests().size(), Scenario.Crash.END_OF_INPUT);
            }
        }
        return crashes;
    }

    private static void addAll(Set<Scenario.Crash> crashes, int invocation, int requests, int batch) {
        for (int request = 1; request <= requests; request++) {
            addBoth(crashes, invocation, request, false, batch);
        }
        if (requests > 0) {
            addBoth(crashes, invocation, requests, true, batch);
        }
    }

    private static void addBoth(Set<Scenario.Crash> crashes, int invocation, int request, boolean after, int batch) {
        crashes.add(new Scenario.Crash(invocation, request, after, true, batch));
        crashes.add(new Scenario.Crash(invocation, request, after, false, batch));
    }
}
