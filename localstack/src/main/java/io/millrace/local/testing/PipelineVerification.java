package io.millrace.local.testing;

import io.millrace.PipelineDefinition;
import io.millrace.internal.plan.KeyedStagePlan;
import io.millrace.internal.plan.PipelinePlan;
import io.millrace.internal.plan.SourcePlan;
import io.millrace.internal.plan.StagePlan;
import io.millrace.local.testing.VerificationRun.Ending;
import io.millrace.serde.RecordDecoder;
import io.millrace.serde.Serde;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs a pipeline over the same records again and again, each time disturbed in another way, and demands the same rows,
 * state and dead letters each time. It finds user code that keeps something outside of state.
 *
 * <p>The runs: batches of 1, of 2, of uneven sizes and all records in one; repeated deliveries of single batches and of
 * all that came before; a new function instance for each batch; another writer before each commit, so that functions run
 * again; and for each AWS request of an invocation, and behind the last, a run in which the delivery of each batch ends
 * there, once with a new process and once with the same instance. Each run ends with the end of the input of the stages with
 * event time, so all windows close, and ends there too. If they are more than {@link #runsMax}, a sample is run, and the
 * report says so. Of dead letters stage, key and payload are compared. An invocation in which a record runs alone after a
 * failure is not ended, since that is an attempt by the error policy. Not thread-safe.
 */
public final class PipelineVerification {
    /** The default of {@link #runsMax}. */
    public static final int RUNS_MAX = 500;

    private final Supplier<? extends PipelineDefinition> definitions;
    private final PipelinePlan plan;
    private final Map<String, List<byte[]>> records = new LinkedHashMap<>();
    private DriverSettings settings;
    private @Nullable TestClients clients;
    private int runsMax = RUNS_MAX;
    private boolean lateElements;
    private int runs;
    private long invocations;
    private long requests;

    PipelineVerification(
            Supplier<? extends PipelineDefinition> definitions, DriverSettings settings, PipelinePlan plan) {
        this.definitions = definitions;
        this.settings = settings.withShards(1);
        this.plan = plan;
    }

    /**
     * Adds records of a stream, written by the serde that the pipeline reads them by.
     *
     * @throws IllegalArgumentException if the pipeline does not read the stream, or its serde cannot write a record
     */
    public PipelineVerification records(String stream, Iterable<?> values) {
        Serde<Object> serde = serdeOf(stream);
        List<byte[]> payloads = records.computeIfAbsent(stream, absent -> new ArrayList<>());
        for (Object value : values) {
            try {
                payloads.add(serde.serialize(value));
            } catch (RuntimeException e) {
                throw new IllegalArgumentException(
                        "The record " + value + " of " + value.getClass().getName()
                                + " cannot be written by the serde '" + serde.description() + "' of the stream '"
                                + stream + "': " + e.getMessage(),
                        e);
            }
        }
        return this;
    }

    /** Adds a record of any bytes to a stream. */
    public PipelineVerification bytes(String stream, byte[] payload) {
        sourceOf(stream);
        records.computeIfAbsent(stream, absent -> new ArrayList<>()).add(payload.clone());
        return this;
    }

    /**
     * Spreads the records over so many shards, in turns; 1 by default. Then records of one key come in another order in
     * each run, and a pipeline whose results depend on the order across shards fails.
     */
    public PipelineVerification acrossShards(int shards) {
        if (shards < 1 || shards > PipelineTestDriver.Builder.SHARDS_MAX) {
            throw new IllegalArgumentException(
                    "acrossShards(" + shards + "): 1 to " + PipelineTestDriver.Builder.SHARDS_MAX + " are allowed");
        }
        settings = settings.withShards(shards);
        return this;
    }

    /** The most runs; {@value #RUNS_MAX} by default. If there would be more with crashes, some are drawn by the seed. */
    public PipelineVerification runsMax(int newRunsMax) {
        if (newRunsMax < 1) {
            throw new IllegalArgumentException("runsMax(" + newRunsMax + "): at least 1 is needed");
        }
        runsMax = newRunsMax;
        return this;
    }

    /**
     * Says that some records are further back in event time than the watermark strategy allows. Which of them are late depends
     * on the batches then, so each disturbed run is compared with the undisturbed one of the same batches.
     */
    public PipelineVerification withLateElements() {
        lateElements = true;
        return this;
    }

    /** What uneven batches and the sample are drawn by; the driver's seed by default. */
    public PipelineVerification seed(long seed) {
        settings = settings.withSeed(seed);
        return this;
    }

    /**
     * Runs it all.
     *
     * @return what was run
     * @throws AssertionError at the first run that ends otherwise than the undisturbed one; the message says which run,
     *     what differs, and the likely cause
     * @throws IllegalStateException if there are no records
     */
    public VerificationReport run() {
        if (records.values().stream().allMatch(List::isEmpty)) {
            throw new IllegalStateException("There are no records to verify the pipeline '" + plan.name()
                    + "' with. Pass some that touch all its code.");
        }
        runs = 0;
        invocations = 0;
        requests = 0;
        try (TestClients shared = new TestClients()) {
            clients = shared;
            return runAll();
        } finally {
            clients = null;
        }
    }

    private VerificationReport runAll() {
        Ending expected = undisturbed();
        Map<Batching, Ending> undisturbed = new EnumMap<>(Batching.class);
        for (Batching batching : Batching.values()) {
            Scenario scenario = Scenario.undisturbed(batching);
            Ending ending = batching == Batching.ONE ? expected : undisturbed(scenario, expected);
            undisturbed.put(batching, ending);
            check(new Scenario(batching, Scenario.Disturbance.COLD_STARTS, null), ending, ending);
            check(new Scenario(batching, Scenario.Disturbance.CONFLICTS, null), ending, ending);
        }
        List<Scenario> crashes = crashes(undisturbed);
        int possible = runs + crashes.size();
        for (Scenario scenario : sample(crashes)) {
            Ending same = Objects.requireNonNull(undisturbed.get(scenario.batching()));
            check(scenario, same, same);
        }
        return new VerificationReport(runs, possible, invocations, requests, settings.seed());
    }

    private Ending undisturbed(Scenario scenario, Ending expected) {
        return lateElements ? run(scenario, null) : check(scenario, null, expected);
    }

    /** What is expected: one batch, undisturbed. A pipeline that cannot repeat even that has no expected result. */
    private Ending undisturbed() {
        Scenario scenario = Scenario.undisturbed(Batching.ONE);
        Ending first;
        try {
            first = run(scenario, null);
        } catch (AssertionError e) {
            throw new AssertionError(
                    "The pipeline '" + plan.name() + "' cannot be verified: its undisturbed run does not end. "
                            + e.getMessage(),
                    e);
        }
        List<String> differences = run(scenario, null).contents().differencesFrom(first.contents());
        if (!differences.isEmpty()) {
            throw new AssertionError("The pipeline '" + plan.name() + "' cannot be verified: two undisturbed runs over"
                    + " the same records end differently.\n  " + String.join("\n  ", differences)
                    + "\nLikely cause: user code uses a clock, random numbers, static fields or something outside of"
                    + " the pipeline" + suspects(first.changedFields(), ". In the undisturbed run it changed ")
                    + ". Pass in what it uses, so that a test can decide it.");
        }
        return first;
    }

    private List<Scenario> crashes(Map<Batching, Ending> undisturbed) {
        List<Scenario> crashes = new ArrayList<>();
        undisturbed.forEach((batching, ending) -> {
            if (batching.hasCrashes()) {
                VerificationRun.crashes(ending).forEach(crash -> crashes.add(Scenario.crash(batching, crash)));
            }
        });
        return crashes;
    }

    private List<Scenario> sample(List<Scenario> crashes) {
        int left = Math.max(0, runsMax - runs);
        if (crashes.size() <= left) {
            return crashes;
        }
        List<Scenario> drawn = new ArrayList<>(crashes);
        Collections.shuffle(drawn, new Random(settings.seed()));
        return drawn.subList(0, left);
    }

    private Ending run(Scenario scenario, @Nullable Ending undisturbed) {
        Ending ending = new VerificationRun(
                        definitions, settings, Objects.requireNonNull(clients), records, scenario, undisturbed)
                .run();
        runs++;
        invocations += ending.invocations();
        requests += ending.requests();
        return ending;
    }

    private Ending check(Scenario scenario, @Nullable Ending undisturbed, Ending expected) {
        Ending ending;
        try {
            ending = run(scenario, undisturbed);
        } catch (AssertionError e) {
            throw new AssertionError(
                    "The pipeline '" + plan.name() + "' does not end as its undisturbed run does.\nRun: "
                            + scenario.describe("its requests differ from batch to batch") + ".\n  "
                            + e.getMessage() + "\n" + cause(expected),
                    e);
        }
        if (!ending.contents().equals(expected.contents())) {
            throw difference(scenario, undisturbed, ending, expected);
        }
        return ending;
    }

    private AssertionError difference(Scenario scenario, @Nullable Ending undisturbed, Ending ending, Ending expected) {
        Scenario told = scenario;
        Ending shown = ending;
        Scenario.Crash crash = scenario.crash();
        // One crash is easier to follow than one in each batch, if it is enough.
        boolean many = crash != null && crash.batch() == Scenario.Crash.EVERY_BATCH;
        for (int batch = 0; many && batch < ending.batches().size(); batch++) {
            Scenario single = Scenario.crash(
                    scenario.batching(), Objects.requireNonNull(crash).onlyIn(batch));
            Ending ofSingle = run(single, undisturbed);
            if (!ofSingle.contents().equals(expected.contents())) {
                told = single;
                shown = ofSingle;
                break;
            }
        }
        return new AssertionError("The pipeline '" + plan.name() + "' does not end as its undisturbed run does.\nRun: "
                + told.describe(shown.crashedAt()) + ".\n  "
                + String.join("\n  ", shown.contents().differencesFrom(expected.contents())) + "\n" + cause(expected));
    }

    private String cause(Ending expected) {
        String acrossShards = settings.shards() == 1
                ? ""
                : "The records lie on " + settings.shards() + " shards, so each run has them in another order: if it"
                        + " passes on one shard, the results depend on the order across shards.\n";
        boolean eventTime = plan.stages().stream()
                .anyMatch(stage -> stage instanceof KeyedStagePlan keyed && keyed.eventTime() != null);
        String late = eventTime && !lateElements
                ? "The pipeline has event time: if records lie further back than its watermark strategy allows, the batches"
                        + " decide which of them are late; withLateElements() takes that into account.\n"
                : "";
        return acrossShards + late + "Likely cause: user code keeps something outside of state"
                + suspects(
                        expected.changedFields(),
                        ": what a retry finds, or a new process does not find, was changed in ")
                + ". Keep it in state, registered in open().";
    }

    private static String suspects(Set<String> fields, String words) {
        return fields.isEmpty()
                ? ", although no field that was looked at has changed: look for caches, files and services"
                : words + String.join(", ", fields);
    }

    private Serde<Object> serdeOf(String stream) {
        RecordDecoder<Object> decoder = sourceOf(stream).decoder();
        return decoder.elementSerde()
                .orElseThrow(() -> new IllegalArgumentException(
                        "The decoder '" + decoder.description() + "' of the stream '" + stream
                                + "' tells no serde, so nothing is known of how its records are written. Add them with"
                                + " bytes(...)."));
    }

    private SourcePlan sourceOf(String stream) {
        for (StagePlan stage : plan.stages()) {
            if (stage.source().stream().equals(stream)) {
                return stage.source();
            }
        }
        throw new IllegalArgumentException("The pipeline '" + plan.name() + "' does not read the stream '" + stream
                + "'; it reads "
                + plan.stages().stream()
                        .map(stage -> stage.source().stream())
                        .distinct()
                        .toList()
                + ".");
    }
}
