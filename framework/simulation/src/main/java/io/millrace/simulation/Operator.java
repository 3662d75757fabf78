package io.millrace.simulation;

import io.millrace.MillraceException;
import io.millrace.aws.LaneGapException;
import io.millrace.aws.UnfinishedParentException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who looks after the simulated pipeline: mends the code when a record keeps a lane from going on, and decides about
 * gaps. It takes note of what must not happen: a failure that nothing has caused, a lane that never gets on.
 */
final class Operator {
    private static final Pattern DECISION = Pattern.compile("MILLRACE_ACCEPT_GAP=(\\S+),");
    private static final int GAP_FAILURES_MIN = 2;
    private static final int IDLE_DELIVERIES_UNTIL_MENDED = 8;
    private static final int IDLE_DELIVERIES_MAX = 60;
    private static final int FAULTS_FACTOR = 4;
    private static final int REDRIVES_ONE_IN = 100;
    private static final int MENDINGS_ONE_IN = 150;

    /** What an operator can do. */
    interface Actions {
        /** Has the code that is mended now run from now on. */
        void deploy();

        /** Redrives a dead letter. */
        void redrive();

        /** Goes on without the missing records. */
        void accept(String decision);

        /** Has all records delivered again that the stream still holds. */
        void deliverAgain(String stream);
    }

    private final Scenario scenario;
    private final SentRecords sent;
    private final PostingRuns runs;
    private final History history;
    private final Exercised exercised;
    private final SplittableRandom random;
    private final Consumer<BrokenRule> broken;
    private final Map<SentLane, Integer> idleDeliveries = new HashMap<>();
    private final Map<SentLane, Integer> gapFailures = new HashMap<>();
    private final Set<String> streamsWithAcceptedGaps = new HashSet<>();
    private boolean mended;
    private @Nullable SentLane gap;
    private @Nullable String decision;

    Operator(Simulation.Parts parts, Consumer<BrokenRule> broken) {
        this.scenario = parts.scenario();
        this.sent = parts.sent();
        this.runs = parts.runs();
        this.history = parts.history();
        this.exercised = parts.exercised();
        this.random = parts.random().split();
        this.broken = broken;
    }

    /** An invocation threw. */
    void onFailure(Invocation invocation, Throwable thrown) {
        SentLane lane = invocation.lane();
        if (thrown instanceof LaneGapException) {
            onGap(invocation, lane, String.valueOf(thrown.getMessage()));
        } else if (thrown instanceof UnfinishedParentException) {
            onParentNotFinished(invocation, String.valueOf(thrown.getMessage()));
        } else if (!(thrown instanceof MillraceException && mayFailInvocations())) {
            broken.accept(new BrokenRule(
                    Rules.FAILS_FOR_A_REASON,
                    lane.name(),
                    invocation + " throws " + thrown + (thrown.getCause() == null ? "" : ": " + thrown.getCause())));
        }
    }

    /** A redrive threw. */
    void onRedriveFailed(MillraceException thrown) {
        if (!mayFailInvocations()) {
            broken.accept(new BrokenRule(Rules.FAILS_FOR_A_REASON, "", "a redrive throws " + thrown));
        }
    }

    /** A tick threw. */
    void onTickFailed(MillraceException thrown) {
        if (!mayFailInvocations()) {
            broken.accept(new BrokenRule(Rules.FAILS_FOR_A_REASON, "", "a tick throws " + thrown));
        }
    }

    /** Something is tried again and again. */
    void onNoEnd(String what) {
        broken.accept(new BrokenRule(Rules.ENDS, "", what));
    }

    /** Nothing keeps a dead letter from being redriven, and it is not. */
    void onLeftOpen(String what) {
        broken.accept(new BrokenRule(Rules.REDRIVEN_ONCE, "", what));
    }

    private boolean mayFailInvocations() {
        return scenario.weather().mayFailInvocations() || exercised.get(Exercised.Event.OUTAGES) > 0;
    }

    private void onGap(Invocation invocation, SentLane lane, String message) {
        if (invocation.records().get(0).index() <= invocation.committedAtStart()) {
            broken.accept(new BrokenRule(Rules.REAL_GAP, lane.name(), invocation + " throws " + message));
            return;
        }
        onMissing(lane, message);
    }

    /** A child's batch waits for its parent, or for one before that, whose last records may be lost. */
    private void onParentNotFinished(Invocation invocation, String message) {
        if (invocation.ancestorsDoneAtStart()) {
            broken.accept(new BrokenRule(Rules.REAL_GAP, invocation.lane().name(), invocation + " throws " + message));
            return;
        }
        sent.ancestorsOf(invocation.lane()).stream()
                .filter(SentLane::hasLost)
                .findFirst()
                .ifPresent(ancestor -> onMissing(ancestor, message));
    }

    private void onMissing(SentLane lane, String message) {
        exercised.count(Exercised.Event.GAPS);
        Matcher matcher = DECISION.matcher(message);
        if (gapFailures.merge(lane, 1, Integer::sum) >= GAP_FAILURES_MIN && matcher.find()) {
            gap = lane;
            decision = matcher.group(1);
        }
    }

    /** Does something about code that fails, dead letters, or a gap that was found. */
    void decide(Actions actions) {
        if (mended) {
            mended = false;
            actions.deploy();
        }
        if (exercised.get(Exercised.Event.DEAD_LETTERS) > 0
                && scenario.redrives()
                && !runs.isMended()
                && random.nextInt(MENDINGS_ONE_IN) == 0) {
            history.trace(() -> "the operator mends the code");
            runs.mend();
            actions.deploy();
        }
        if (exercised.get(Exercised.Event.DEAD_LETTERS) > 0 && random.nextInt(REDRIVES_ONE_IN) == 0) {
            actions.redrive();
        }
        decideAboutGap(actions);
    }

    private void decideAboutGap(Actions actions) {
        SentLane lane = gap;
        if (lane == null || decision == null) {
            return;
        }
        // Who has accepted a gap does not have its records delivered again.
        if (streamsWithAcceptedGaps.contains(lane.stream()) || random.nextBoolean()) {
            streamsWithAcceptedGaps.add(lane.stream());
            history.note(lane.name(), () -> "the operator accepts the gap " + decision);
            actions.accept(decision);
        } else {
            history.note(lane.name(), () -> "the operator has stream " + lane.stream() + " delivered again");
            actions.deliverAgain(lane.stream());
        }
        gapFailures.clear();
        gap = null;
        decision = null;
    }

    /** An invocation whose answer a mapping awaited has come to its end. */
    void onAnswered(Invocation invocation) {
        SentLane lane = invocation.lane();
        SentRecord last = invocation.records().get(invocation.records().size() - 1);
        if (lane.committed() > invocation.committedAtStart() || last.index() < lane.committed()) {
            idleDeliveries.remove(lane);
            return;
        }
        int idle = idleDeliveries.merge(lane, 1, Integer::sum);
        if (idle > IDLE_DELIVERIES_UNTIL_MENDED && scenario.attempts() == 0 && !runs.isMended()) {
            history.note(lane.name(), () -> "the operator mends the code");
            runs.mend();
            mended = true;
        }
        if (idle > IDLE_DELIVERIES_MAX * (scenario.weather() == Weather.CALM ? 1 : FAULTS_FACTOR)) {
            broken.accept(new BrokenRule(
                    Rules.ENDS,
                    lane.name(),
                    idle + " deliveries of lane " + lane + " in a row did not get behind its record " + lane.committed()
                            + ", " + lane.records().get(lane.committed())));
        }
    }
}
