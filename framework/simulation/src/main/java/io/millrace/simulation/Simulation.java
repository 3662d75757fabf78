package io.millrace.simulation;

import io.millrace.aws.Provisioning;
import io.millrace.local.InvocationOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One simulation of a pipeline: the production code over the embedded AWS in virtual time, under everything that Lambda,
 * AWS, the streams and the user's code do at their worst. One seed decides everything, so the same seed gives the same
 * steps. The rules of the protocol page are checked at every change, and a sequential oracle at the end.
 */
public final class Simulation {
    /** The most steps; a simulation that needs more does not end. */
    static final int STEPS_MAX = 30_000;

    private static final int STEP_MILLIS_MAX = 4;

    // What a step does, of a thousand: the rest is divided between functions and mappings, whose turn comes first.
    private static final int PUBLISHES_IN_1000 = 40;
    private static final int MISFORTUNES_IN_1000 = 20;
    private static final int EXPIRIES_IN_1000 = 3;
    private static final int TICKS_IN_1000 = 6;
    private static final int FUNCTIONS_FIRST_IN_1000 = 720;

    private static final int MISFORTUNE_STEP_MAX = 10_000;
    private static final int HOURS_MIN = 25;
    private static final int HOURS_MAX = 120;
    private static final int JUMP_MINUTES_MAX = 10;
    private static final int GRUDGES_MAX = 10;

    /** What the parts of a simulation share. */
    record Parts(
            VirtualClock clock,
            Scenario scenario,
            SentRecords sent,
            PostingRuns runs,
            History history,
            Exercised exercised,
            SplittableRandom random,
            MutatedRules rules,
            List<Invocation> invocations) {}

    private final SplittableRandom random;
    private final VirtualClock clock = new VirtualClock();
    private final Scenario scenario;
    private final SentRecords sent = new SentRecords();
    private final PostingRuns runs = new PostingRuns();
    private final Exercised exercised = new Exercised();
    private final History history;
    private final Audit audit;
    private final Operator operator;
    private final Publisher publisher;
    private final SimulatedAws aws;
    private final SimulatedLambda lambda;
    private final Redrives redrives;
    private final Ticks ticks;
    private final List<SimulatedMapping> mappings = new ArrayList<>();
    private final Decisions decisions = new Decisions();
    private int misfortunesLeft;
    private int grudgesLeft;
    private boolean daysPassed;

    private Simulation(long seed, MutatedRules rules, boolean kept, @Nullable Consumer<String> trace) {
        this.random = new SplittableRandom(seed);
        this.scenario = Scenario.draw(seed, random);
        this.history = new History(clock, kept, trace);
        history.trace(() -> scenario.toString());
        Parts parts = new Parts(clock, scenario, sent, runs, history, exercised, random, rules, new ArrayList<>());
        this.audit = new Audit(seed, parts);
        this.operator = new Operator(parts, audit::broken);
        this.publisher = new Publisher(scenario, sent, clock, history, exercised, random.split());
        this.aws = new SimulatedAws(clock, scenario, random.split(), audit);
        this.lambda = new SimulatedLambda(parts, aws, audit, operator);
        this.redrives = new Redrives(parts, operator);
        this.ticks = new Ticks(parts, operator);
        this.misfortunesLeft = scenario.misfortunes();
        this.grudgesLeft = scenario.grudgeIn100() > 0 ? GRUDGES_MAX : 0;
        this.daysPassed = !scenario.daysBetween();
    }

    /** What has come of a simulation: what it exercised, and the first violation if there was one. */
    public record Result(
            long seed,
            int steps,
            Exercised exercised,
            @Nullable Violation violation) {}

    /**
     * Runs the simulation of a seed.
     *
     * @param mutant which rule is broken on purpose; null for none
     * @param trace gets a line for each step; null for nobody
     */
    public static Result run(long seed, @Nullable Mutant mutant, @Nullable Consumer<String> trace) {
        MutatedRules rules = new MutatedRules(mutant);
        Result result = new Simulation(seed, rules, false, trace).run(seed);
        // A violation is run once more to tell what happened before it: words for all that goes well would cost too
        // much.
        return result.violation() == null ? result : new Simulation(seed, rules, true, null).run(seed);
    }

    private Result run(long seed) {
        int step = 0;
        try {
            publisher.createStreams();
            new Provisioning(SimulatedAws.DYNAMO_DB)
                    .createTables(scenario.pipeline(Publisher.streams(scenario).get(0), runs));
            for (String stream : Publisher.streams(scenario)) {
                mappings.add(new SimulatedMapping(stream, sent, scenario));
            }
            while (!isDone() && audit.violation() == null) {
                history.step(++step);
                if (step > STEPS_MAX) {
                    audit.broken(new BrokenRule(Rules.ENDS, "", "no end after " + STEPS_MAX + " steps"));
                } else {
                    step(step);
                }
            }
            if (audit.violation() == null && scenario.redrives() && random.nextBoolean()) {
                redrives.redriveAll(clock);
            }
            if (audit.violation() == null) {
                checkEnd();
            }
        } finally {
            lambda.close();
            aws.close();
        }
        exercised.add(
                Exercised.Event.FAULTS,
                aws.injected().values().stream().mapToLong(Long::longValue).sum());
        return new Result(seed, step, exercised, audit.violation());
    }

    private void checkEnd() {
        StatementScenario statements = scenario.statements();
        if (statements == null) {
            new SequentialOracle(sent, scenario, audit).check();
        } else {
            new StatementOracle(sent, audit, Objects.requireNonNull(audit.statements()), statements).check();
        }
    }

    private boolean isDone() {
        return isInputOver() && isDrained() && ticks.isEnded();
    }

    private boolean isInputOver() {
        return daysPassed && publisher.published() >= scenario.postings();
    }

    private boolean isDrained() {
        return lambda.isQuiet() && sent.areDone();
    }

    private void step(int step) {
        clock.advance(Duration.ofMillis(random.nextInt(STEP_MILLIS_MAX)));
        lambda.enforceDeadlines();
        operator.decide(decisions);
        int dice = random.nextInt(1_000);
        if (dice < PUBLISHES_IN_1000) {
            if (mayPublish()) {
                publisher.publish();
                return;
            }
        } else if (dice < PUBLISHES_IN_1000 + MISFORTUNES_IN_1000) {
            if (misfortunesLeft > 0 && step < MISFORTUNE_STEP_MAX) {
                meetMisfortune();
                return;
            }
        } else if (dice < PUBLISHES_IN_1000 + MISFORTUNES_IN_1000 + EXPIRIES_IN_1000) {
            expire();
            return;
        } else if (dice < PUBLISHES_IN_1000 + MISFORTUNES_IN_1000 + EXPIRIES_IN_1000 + TICKS_IN_1000) {
            if (ticks.hasMore()) {
                ticks.begin(lambda);
                return;
            }
        }
        goOn(random.nextInt(1_000) < FUNCTIONS_FIRST_IN_1000);
    }

    /** DynamoDB deletes what has expired, at any time. */
    private boolean expire() {
        boolean expired = aws.deleteExpiredItems() > 0;
        if (expired) {
            history.trace(() -> "what has expired is deleted");
        }
        return expired;
    }

    private boolean mayPublish() {
        return publisher.published() < (daysPassed ? scenario.postings() : scenario.postingsBeforeDays());
    }

    private void meetMisfortune() {
        misfortunesLeft--;
        switch (random.nextInt(scenario.reshards() ? 11 : 9)) {
            case 0, 1 -> lambda.crash();
            case 2, 3 -> lambda.abandonOne();
            case 4 -> deliverOld();
            case 5 -> jump();
            case 6, 7 -> lambda.freezeOne();
            case 8 -> lambda.cutOff();
            default -> publisher.reshard();
        }
    }

    private void deliverOld() {
        List<SentLane> lanes = sent.lanes();
        if (lanes.isEmpty()) {
            return;
        }
        SentLane lane = lanes.get(random.nextInt(lanes.size()));
        lambda.deliverOld(lane, mappingOf(lane.stream()).streamArn());
    }

    private void jump() {
        clock.advance(Duration.ofSeconds(1 + random.nextInt(60 * JUMP_MINUTES_MAX)));
        exercised.count(Exercised.Event.CLOCK_JUMPS);
        history.trace(() -> "the clock jumps");
    }

    /** Lets a function or a mapping go on; if none of them can, the time passes. */
    private void goOn(boolean functionsFirst) {
        boolean gone = functionsFirst ? resume() || poll() : poll() || resume();
        if (!gone) {
            passTime();
        }
    }

    /** Lets a function that can go on do so, to its next pause. */
    private boolean resume() {
        Fiber fiber = lambda.ready();
        if (fiber == null) {
            return false;
        }
        exercised.count(Exercised.Event.REQUESTS);
        boolean reads = fiber.isReading();
        lambda.resume(fiber);
        if (reads && random.nextBoolean() && expire()) {
            // What it has read is gone, and others are faster.
            lambda.freeze(fiber.process());
        }
        Invocation writer = audit.takeLastWriter();
        if (writer != null
                && grudgesLeft > 0
                && writer.lane() == sent.lanes().get(0)
                && random.nextInt(100) < scenario.grudgeIn100()) {
            grudgesLeft--;
            lambda.grudge(writer);
        }
        return true;
    }

    /** Lets a mapping that has something to do take a step. */
    private boolean poll() {
        Instant now = clock.instant();
        List<SimulatedMapping> due = mappings.stream()
                .filter(mapping -> !mapping.wakesAt().isAfter(now))
                .toList();
        if (due.isEmpty()) {
            return false;
        }
        SimulatedMapping.Wanted wanted = due.get(random.nextInt(due.size())).step(now, random);
        if (wanted != null) {
            invoke(wanted);
        }
        return true;
    }

    private void invoke(SimulatedMapping.Wanted wanted) {
        SentLane lane = sent.lane(wanted.mapping().stream(), wanted.shardId());
        boolean struck = scenario.misfortunes() > 0;
        if (struck && random.nextInt(100) == 0 && !lane.hasLost() && !lambda.isBusy(lane)) {
            exercised.count(Exercised.Event.LOST_BATCHES);
            lose(wanted, lane);
        } else {
            lambda.invoke(wanted, struck && random.nextInt(10) == 0);
        }
    }

    /** Lambda gives a batch up without a word, as it does for a mapping with finite retries. */
    private void lose(SimulatedMapping.Wanted wanted, SentLane lane) {
        var records = wanted.batch().records();
        SentRecord last =
                lane.records().get(lane.endOf(records.get(records.size() - 1).sequenceNumber()) - 1);
        history.note(lane.name(), () -> "the mapping gives up all records up to " + last);
        if (last.index() >= lane.committed()) {
            lane.lose(last);
        }
        wanted.mapping()
                .onInvoked(wanted.shardId(), wanted.batch(), new InvocationOutcome.Returned(null), clock.instant());
    }

    /** Nothing can go on now: the time passes until something can. */
    private void passTime() {
        if (!daysPassed && publisher.published() >= scenario.postingsBeforeDays() && isDrained()) {
            daysPassed = true;
            clock.advance(Duration.ofHours(HOURS_MIN + random.nextInt(HOURS_MAX - HOURS_MIN)));
            exercised.count(Exercised.Event.CLOCK_JUMPS);
            history.trace(() -> "days pass");
            sent.lanes().forEach(SentLane::expire);
            if (scenario.statesExpire()) {
                audit.forgetStates();
            }
            return;
        }
        if (isInputOver() && isDrained() && !ticks.isEnded()) {
            // What is due by the clock is due for all clocks then.
            clock.advance(Publisher.DUE_WITHIN.plusSeconds(2L * SimulatedLambda.CLOCK_SKEW_SECONDS));
            ticks.end(lambda);
            return;
        }
        if (lambda.isQuiet()) {
            redeliverWhatIsLost();
        }
        Instant next = Stream.concat(
                        Stream.ofNullable(lambda.wakesAt()), mappings.stream().map(SimulatedMapping::wakesAt))
                .min(Instant::compareTo)
                .orElseThrow();
        clock.moveTo(next);
    }

    /** A batch that was lost at the end of a lane shows in no gap: an operator finds it in the mapping's own reports. */
    private void redeliverWhatIsLost() {
        for (SentLane lane : sent.lanes()) {
            if (lane.hasLost() && lane.acknowledged() == lane.records().size()) {
                history.note(lane.name(), () -> "the operator has stream " + lane.stream() + " delivered again");
                decisions.deliverAgain(lane.stream());
                return;
            }
        }
    }

    private SimulatedMapping mappingOf(String stream) {
        return mappings.stream()
                .filter(mapping -> mapping.stream().equals(stream))
                .findFirst()
                .orElseThrow();
    }

    /** What the operator's decisions do. */
    private final class Decisions implements Operator.Actions {
        @Override
        public void deploy() {
            lambda.replaceInstances();
        }

        @Override
        public void redrive() {
            if (scenario.redrives()) {
                redrives.begin(lambda);
            }
        }

        @Override
        public void accept(String decision) {
            lambda.acceptGap(decision);
        }

        @Override
        public void deliverAgain(String stream) {
            SimulatedMapping old = mappingOf(stream);
            lambda.onMappingGone(old);
            mappings.set(mappings.indexOf(old), new SimulatedMapping(stream, sent, scenario));
            sent.lanes().stream()
                    .filter(lane -> lane.stream().equals(stream))
                    .forEach(SentLane::deliverFromTheBeginning);
        }
    }
}
