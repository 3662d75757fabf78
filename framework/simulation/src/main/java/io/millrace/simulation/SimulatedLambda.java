package io.millrace.simulation;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse.BatchItemFailure;
import io.millrace.aws.BatchReport;
import io.millrace.aws.MillraceFunction;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.Surroundings;
import io.millrace.local.InvocationOutcome;
import io.millrace.local.internal.mapping.LambdaEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.model.Record;

/** Lambda in a simulation: function instances, their invocations, and how each of them ends. */
final class SimulatedLambda {
    private static final Duration ZOMBIE_LIFE_MAX = Duration.ofMinutes(15);
    static final int CLOCK_SKEW_SECONDS = 120;
    private static final int OUTAGE_SECONDS_MAX = 5;
    private static final int FREEZE_MILLIS_MAX = 2_000;
    private static final int ZOMBIE_FREEZE_MILLIS_MAX = 20_000;
    private static final int[] PACES = {1, 4, 4, 12};

    private final VirtualClock clock;
    private final Scenario scenario;
    private final SimulatedAws aws;
    private final SentRecords sent;
    private final PostingRuns runs;
    private final Audit audit;
    private final Operator operator;
    private final History history;
    private final Exercised exercised;
    private final SplittableRandom random;
    private final MutatedRules rules;
    private final List<Invocation> invocations;
    private final List<SimulatedProcess> busy = new ArrayList<>();
    private final List<SimulatedProcess> idle = new ArrayList<>();
    private final Set<String> acceptedGaps = new TreeSet<>();
    private int processes;

    SimulatedLambda(Simulation.Parts parts, SimulatedAws aws, Audit audit, Operator operator) {
        this.clock = parts.clock();
        this.scenario = parts.scenario();
        this.aws = aws;
        this.sent = parts.sent();
        this.runs = parts.runs();
        this.audit = audit;
        this.operator = operator;
        this.history = parts.history();
        this.exercised = parts.exercised();
        this.random = parts.random().split();
        this.rules = parts.rules();
        this.invocations = parts.invocations();
    }

    /** Whether nothing runs, not even what nobody waits for. */
    boolean isQuiet() {
        return busy.isEmpty();
    }

    /** Whether an invocation of a lane runs, or what is left of one. */
    boolean isBusy(SentLane lane) {
        return !invocationsOf(lane).isEmpty();
    }

    private List<Invocation> invocationsOf(SentLane lane) {
        List<Invocation> running = new ArrayList<>();
        for (SimulatedProcess process : busy) {
            Invocation invocation = process.invocation();
            if (invocation != null && invocation.lane() == lane) {
                running.add(invocation);
            }
        }
        return running;
    }

    /** New environment variables: instances are replaced, those that are busy when they have answered. */
    void acceptGap(String decision) {
        acceptedGaps.add(decision);
        replaceInstances();
    }

    /** New code: instances are replaced, those that are busy when they have answered. */
    void replaceInstances() {
        idle.clear();
        busy.forEach(SimulatedProcess::outdate);
    }

    /** Invokes what a mapping wants, or a recomposition of it. */
    void invoke(SimulatedMapping.Wanted wanted, boolean recomposed) {
        SentLane lane = sent.lane(wanted.mapping().stream(), wanted.shardId());
        List<Record> batch = wanted.batch().records();
        int from = lane.indexOf(batch.get(0).sequenceNumber());
        int to = lane.endOf(batch.get(batch.size() - 1).sequenceNumber());
        if (recomposed && random.nextBoolean()) {
            to = lane.endAt(from + random.nextInt(to - from));
            exercised.count(Exercised.Event.RECOMPOSED_BATCHES);
        } else if (recomposed && from > lane.expired() && !lane.hasLost()) {
            from = lane.startAt(from - 1 - random.nextInt(Math.min(from - lane.expired(), scenario.batchSize())));
            exercised.count(Exercised.Event.RECOMPOSED_BATCHES);
        }
        if (wanted.batch().repetitions() > 0) {
            exercised.count(Exercised.Event.REDELIVERIES);
        }
        begin(lane, from, to, wanted.mapping().streamArn()).answers(wanted.mapping(), wanted.batch());
    }

    /** Delivers old records once more, beside all others, as an old mapping or a forgotten retry does. */
    void deliverOld(SentLane lane, String streamArn) {
        int end = Math.min(lane.records().size(), lane.acknowledged() + 1);
        if (lane.hasLost() || lane.expired() >= end) {
            return;
        }
        int from = lane.startAt(lane.expired() + random.nextInt(end - lane.expired()));
        int to = lane.endAt(Math.min(lane.records().size() - 1, from + random.nextInt(scenario.batchSize())));
        exercised.count(Exercised.Event.OLD_BATCHES);
        begin(lane, from, to, streamArn);
    }

    private Invocation begin(SentLane lane, int from, int to, String streamArn) {
        SimulatedProcess process = processFor(lane.stream());
        Instant deadline = clock.instant().plus(scenario.functionTimeout());
        List<SentRecord> records = List.copyOf(lane.records().subList(from, to));
        invocationsOf(lane).forEach(Invocation::overtaken);
        boolean ancestorsDone = sent.ancestorsOf(lane).stream().allMatch(SentLane::isCommitted);
        Invocation invocation = new Invocation(invocations.size() + 1, process, records, deadline, ancestorsDone);
        invocations.add(invocation);
        exercised.count(Exercised.Event.INVOCATIONS);
        List<Record> batch = records.stream().map(SentRecord::record).distinct().toList();
        Fiber unused = process.begin(invocation, () -> {
            try {
                invocation.returned(process.function()
                        .handleRequest(
                                LambdaEvents.event(streamArn, lane.shardId(), batch),
                                new SimulatedContext(clock, deadline)));
            } catch (ProcessDied died) {
                throw died;
            } catch (Throwable e) {
                invocation.threw(e);
            }
        });
        busy.add(process);
        history.note(lane.name(), () -> invocation + " begins");
        return invocation;
    }

    private SimulatedProcess processFor(String stream) {
        Iterator<SimulatedProcess> iterator = idle.iterator();
        while (iterator.hasNext()) {
            SimulatedProcess process = iterator.next();
            if (process.stream().equals(stream) && random.nextInt(4) > 0) {
                iterator.remove();
                return process;
            }
        }
        SimulatedProcess process = newProcess(stream);
        process.load(rules.of(MillraceFunction.builder()
                        .pipeline(scenario.pipeline(stream, runs))
                        .dynamoDb(SimulatedAws.DYNAMO_DB)
                        .kinesis(SimulatedAws.KINESIS)
                        .ioExecutor(new IoExecutor(new FiberExecutor(process)))
                        .acceptGaps(acceptedGaps)
                        .listener((report, error) -> note(report))
                        .surroundings(new Surroundings(
                                process.clock(), random.split(), millis -> sleep(Duration.ofMillis(millis)))))
                .build());
        return process;
    }

    private SimulatedProcess newProcess(String stream) {
        Duration skew = Duration.ofSeconds(random.nextInt(2 * CLOCK_SKEW_SECONDS + 1) - CLOCK_SKEW_SECONDS);
        return new SimulatedProcess(++processes, stream, aws, clock, skew, PACES[random.nextInt(PACES.length)]);
    }

    /** Begins other code in a process of its own, which can die and stand still like any other. */
    void beginBeside(Consumer<SimulatedProcess> code) {
        SimulatedProcess process = newProcess("none");
        Fiber unused = process.startFiber(() -> code.accept(process));
        busy.add(process);
    }

    static void sleep(Duration duration) {
        Fiber fiber = Fiber.current();
        if (fiber != null) {
            fiber.sleep(duration);
        }
    }

    private void note(BatchReport report) {
        exercised.add(Exercised.Event.CONFLICTS, report.get(BatchReport.Count.CONFLICTS));
        exercised.add(Exercised.Event.DUPLICATES, report.get(BatchReport.Count.DUPLICATES));
        exercised.add(Exercised.Event.REPETITIONS, report.get(BatchReport.Count.REPETITIONS));
    }

    /** A fiber that can go on now; null if there is none. A process of twice the pace is twice as likely. */
    @Nullable
    Fiber ready() {
        Instant now = clock.instant();
        List<Fiber> ready = new ArrayList<>();
        int paces = 0;
        for (SimulatedProcess process : busy) {
            for (Fiber fiber : process.fibers()) {
                if (fiber.isReady(now)) {
                    ready.add(fiber);
                    paces += process.pace();
                }
            }
        }
        int point = paces == 0 ? 0 : random.nextInt(paces);
        for (Fiber fiber : ready) {
            point -= fiber.process().pace();
            if (point < 0) {
                return fiber;
            }
        }
        return null;
    }

    /** When something of a function happens next by itself; null if nothing does. */
    @Nullable
    Instant wakesAt() {
        Instant first = null;
        for (SimulatedProcess process : busy) {
            for (Fiber fiber : process.fibers()) {
                Instant wakes = fiber.wakesAt();
                first = wakes != null && (first == null || wakes.isBefore(first)) ? wakes : first;
            }
        }
        return first;
    }

    /** Lets a fiber go on to its next pause. */
    void resume(Fiber fiber) {
        history.trace(() -> fiber.process() + ": " + fiber.doing());
        fiber.resume();
        settle(fiber.process());
    }

    /** Draws the conclusion if a process has nothing left to run. */
    private void settle(SimulatedProcess process) {
        process.fibers().removeIf(Fiber::hasEnded);
        Invocation invocation = process.invocation();
        boolean killedByRecord = invocation != null && invocation.thrown() instanceof VirtualMachineError;
        if (killedByRecord && !process.isDead()) {
            history.note(Objects.requireNonNull(invocation).lane().name(), () -> process + " is killed by a record");
            kill(process);
        } else if (process.fibers().isEmpty()) {
            busy.remove(process);
            if (invocation != null && !process.isDead()) {
                onEnded(process, invocation);
            }
        }
    }

    private void onEnded(SimulatedProcess process, Invocation invocation) {
        StreamsEventResponse response = invocation.response();
        Throwable thrown = invocation.thrown();
        boolean awaited = invocation.mapping() != null;
        history.note(invocation.lane().name(), () -> invocation + invocation.outcome());
        if (thrown != null) {
            operator.onFailure(invocation, thrown);
            answer(invocation, InvocationOutcome.thrown(thrown));
        } else {
            int failedAt = failedAt(invocation, Objects.requireNonNull(response));
            audit.onAcknowledged(invocation, invocation.records().subList(0, failedAt));
            answer(invocation, new InvocationOutcome.Returned(translated(invocation, failedAt)));
        }
        process.end();
        if (awaited && !process.isOutdated()) {
            idle.add(process);
        }
    }

    /** How many of an invocation's records its answer acknowledges. */
    private int failedAt(Invocation invocation, StreamsEventResponse response) {
        List<BatchItemFailure> failures = response.getBatchItemFailures();
        if (failures.isEmpty()) {
            return invocation.records().size();
        }
        int first = invocation.records().get(0).index();
        int failed = invocation.lane().indexOf(failures.get(0).getItemIdentifier()) - first;
        if (failures.size() > 1 || failed < 0 || failed >= invocation.records().size()) {
            audit.broken(new BrokenRule(Rules.ANSWER, invocation.lane().name(), invocation + " answers " + failures));
            return 0;
        }
        return failed;
    }

    /** The answer for the mapping's own batch, which the invocation may have been given cut or lengthened. */
    private static StreamsEventResponse translated(Invocation invocation, int failedAt) {
        if (invocation.batch() == null) {
            return new StreamsEventResponse(List.of());
        }
        SentLane lane = invocation.lane();
        List<Record> batch = invocation.batch().records();
        int from = lane.indexOf(batch.get(0).sequenceNumber());
        int undone = Math.max(from, invocation.records().get(0).index() + failedAt);
        if (undone >= lane.endOf(batch.get(batch.size() - 1).sequenceNumber())) {
            return new StreamsEventResponse(List.of());
        }
        return new StreamsEventResponse(
                List.of(new BatchItemFailure(lane.records().get(undone).record().sequenceNumber())));
    }

    private void answer(Invocation invocation, InvocationOutcome outcome) {
        SimulatedMapping mapping = invocation.mapping();
        if (mapping != null) {
            operator.onAnswered(invocation);
            mapping.onInvoked(
                    invocation.lane().shardId(), Objects.requireNonNull(invocation.batch()), outcome, clock.instant());
            invocation.abandon();
        }
    }

    /** Lets a process die at once, wherever it is. */
    void crash() {
        List<SimulatedProcess> alive = alive();
        if (!alive.isEmpty()) {
            exercised.count(Exercised.Event.CRASHES);
            kill(alive.get(random.nextInt(alive.size())));
        }
    }

    private List<SimulatedProcess> alive() {
        return busy.stream().filter(process -> !process.isDead()).toList();
    }

    private void kill(SimulatedProcess process) {
        Invocation invocation = process.invocation();
        exercised.add(Exercised.Event.REQUESTS_OF_THE_DEAD, process.kill(random));
        if (invocation == null) {
            history.trace(() -> process + " dies");
        } else {
            history.note(invocation.lane().name(), () -> process + " dies in " + invocation);
            invocation.dies();
            answer(invocation, InvocationOutcome.exited("killed"));
        }
        if (process.fibers().isEmpty()) {
            busy.remove(process);
        }
    }

    /** Lets an invocation that has just written something die, takes it for dead, or lets it reach no cells. */
    void grudge(Invocation invocation) {
        SimulatedProcess process = invocation.process();
        if (process.isDead() || process.invocation() != invocation || invocation.mapping() == null) {
            return;
        }
        switch (random.nextInt(8)) {
            case 0 -> cutOff();
            case 1, 2, 3, 4 -> abandon(process);
            default -> {
                exercised.count(Exercised.Event.CRASHES);
                kill(process);
            }
        }
    }

    /** Lets no function reach the cells for some seconds. */
    void cutOff() {
        exercised.count(Exercised.Event.OUTAGES);
        aws.makeCellsUnreachable(Duration.ofSeconds(1 + random.nextInt(OUTAGE_SECONDS_MAX)));
        history.trace(() -> "the cells cannot be reached");
    }

    /** Takes an invocation for dead that goes on. */
    void abandonOne() {
        List<SimulatedProcess> awaited = alive().stream()
                .filter(process ->
                        process.invocation() != null && process.invocation().mapping() != null)
                .toList();
        if (!awaited.isEmpty()) {
            abandon(awaited.get(random.nextInt(awaited.size())));
        }
    }

    /** Lets a process stand still for a while. */
    void freezeOne() {
        List<SimulatedProcess> alive = alive();
        if (!alive.isEmpty()) {
            freeze(alive.get(random.nextInt(alive.size())));
        }
    }

    void freeze(SimulatedProcess process) {
        freeze(process, FREEZE_MILLIS_MAX);
    }

    private void freeze(SimulatedProcess process, int millisMax) {
        exercised.count(Exercised.Event.FREEZES);
        process.freeze(clock.instant().plusMillis(random.nextInt(millisMax)));
        history.trace(() -> process + " freezes");
    }

    private void abandon(SimulatedProcess process) {
        Invocation invocation = Objects.requireNonNull(process.invocation());
        if (random.nextBoolean()) {
            freeze(process, ZOMBIE_FREEZE_MILLIS_MAX);
        }
        exercised.count(Exercised.Event.ZOMBIES);
        history.note(invocation.lane().name(), () -> invocation + " is taken for dead and goes on");
        answer(invocation, new InvocationOutcome.TimedOut(scenario.functionTimeout()));
    }

    /** Ends what has missed its time: half of it goes on for a while. */
    void enforceDeadlines() {
        Instant now = clock.instant();
        for (SimulatedProcess process : alive()) {
            Invocation invocation = process.invocation();
            if (invocation == null) {
                continue;
            }
            if (invocation.deadline().plus(ZOMBIE_LIFE_MAX).isBefore(now)) {
                kill(process);
            } else if (invocation.deadline().isBefore(now) && invocation.mapping() != null) {
                exercised.count(Exercised.Event.TIME_OUTS);
                if (random.nextBoolean()) {
                    kill(process);
                } else {
                    abandon(process);
                }
            }
        }
    }

    /** Lets all that wait for a mapping wait no longer: it is gone. */
    void onMappingGone(SimulatedMapping mapping) {
        busy.stream()
                .map(SimulatedProcess::invocation)
                .filter(invocation -> invocation != null && invocation.mapping() == mapping)
                .forEach(invocation -> Objects.requireNonNull(invocation).abandon());
    }

    /** Ends all processes, so that no thread is left behind. */
    void close() {
        for (SimulatedProcess process : List.copyOf(busy)) {
            process.kill(null);
        }
    }
}
