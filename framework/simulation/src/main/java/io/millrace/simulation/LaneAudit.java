package io.millrace.simulation;

import io.millrace.local.ItemChange;
import io.millrace.time.WatermarkStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Holds the lanes' watermarks and their places among the shards to their rules, and keeps the stage's true watermark: over
 * all shards that there are, whether their lanes have spoken, or are known to anybody, or not.
 */
final class LaneAudit {
    private final SentRecords sent;
    private final @Nullable StatementScenario times;
    private final VirtualClock clock;
    private final History history;
    private final Exercised exercised;
    private final Map<String, LaneStanding> lanes = new HashMap<>();
    private long reached = WatermarkStrategy.NO_WATERMARK;

    LaneAudit(Simulation.Parts parts) {
        this.sent = parts.sent();
        this.times = parts.scenario().statements();
        this.clock = parts.clock();
        this.history = parts.history();
        this.exercised = parts.exercised();
    }

    /** The highest watermark that the stage truly ever had. */
    long reached() {
        return reached;
    }

    /** A lane's stored watermark. */
    long watermarkOf(SentLane lane) {
        return standing(lane.name()).watermark();
    }

    private LaneStanding standing(String lane) {
        return lanes.getOrDefault(lane, LaneStanding.NONE);
    }

    /** A lane's record is written, behind the check of its cursor. */
    void onLane(ItemChange change, SentLane lane, boolean cursorMoved) {
        Map<String, AttributeValue> after = Objects.requireNonNull(change.after());
        LaneStanding before = standing(lane.name());
        LaneStanding now = LaneStanding.of(after, lane.stream());
        history.note(lane.name(), () -> "lane " + lane + ": " + now);
        if (now.watermark() < before.watermark() || now.ofData() < before.ofData()) {
            throw broken(
                    Rules.NEVER_BACK,
                    lane,
                    "the watermark of lane " + lane + " goes back from " + LaneStanding.words(before.watermark())
                            + " to " + LaneStanding.words(now.watermark()));
        }
        if ((before.discovered() && !now.discovered()) || (before.finished() && !now.finished())) {
            throw broken(Rules.NEVER_BACK, lane, "lane " + lane + " was " + before + ", and is " + now);
        }
        lanes.put(lane.name(), now);
        if (now.watermark() > before.watermark()) {
            checkRaise(lane, before, now, cursorMoved);
        }
        if (now.finished() && !before.finished()) {
            checkFinished(lane, now);
        }
        if (cursorMoved) {
            requireParentsFinished(lane, lane.name());
        }
        reached = Math.max(reached, watermark());
    }

    /** The item of the stage's watermark is written. */
    void onStageWatermark(ItemChange change) {
        long now = LaneStanding.number(Objects.requireNonNull(change.after()), "watermark");
        long before = change.before() == null
                ? WatermarkStrategy.NO_WATERMARK
                : LaneStanding.number(change.before(), "watermark");
        history.trace(() -> "the stage's watermark is " + LaneStanding.words(now));
        if (now < before) {
            throw new BrokenRule(
                    Rules.NEVER_BACK,
                    "",
                    "the stage's watermark goes back from " + LaneStanding.words(before) + " to "
                            + LaneStanding.words(now));
        }
        requireReached(now, "", "the stage's watermark is stored as");
    }

    /** Checks that the stage truly came as far as something takes it for. */
    void requireReached(long watermark, String subject, String who) {
        if (watermark > reached) {
            throw new BrokenRule(
                    Rules.TIMERS_ON_TIME,
                    subject,
                    who + " " + LaneStanding.words(watermark) + "; the stage never came further than "
                            + LaneStanding.words(reached) + ": " + lanes);
        }
    }

    /** The stage's watermark as it is now. */
    private long watermark() {
        return sent.shards().lanes().stream()
                .filter(this::counts)
                .mapToLong(this::boundOf)
                .min()
                .orElse(WatermarkStrategy.NO_WATERMARK);
    }

    private boolean counts(String lane) {
        boolean isOver = standing(lane).finished()
                && sent.shards().childrenOf(lane).stream()
                        .allMatch(child -> standing(child).discovered() || isGone(child));
        return !isOver && !isGone(lane);
    }

    /** How far a lane lets the stage come. One without a record comes of its parents, and is no further than they are. */
    private long boundOf(String lane) {
        return standing(lane).discovered()
                ? standing(lane).watermark()
                : sent.shards().parentsOf(lane).stream()
                        .mapToLong(this::boundOf)
                        .min()
                        .orElse(WatermarkStrategy.NO_WATERMARK);
    }

    /** Whether a shard was closed before anybody knew of its lane, and nothing can come of it any more. */
    private boolean isGone(String lane) {
        return !standing(lane).discovered() && sent.shards().isClosed(lane) && isEmpty(lane);
    }

    /** Whether the stream holds nothing of a lane. */
    private boolean isEmpty(String name) {
        SentLane lane = sent.lane(name);
        return lane == null || lane.expired() == lane.records().size();
    }

    private void checkRaise(SentLane lane, LaneStanding before, LaneStanding now, boolean cursorMoved) {
        StatementScenario strategy = times;
        if (strategy == null) {
            throw broken(Rules.WATERMARK, lane, "lane " + lane + " has a watermark, and the stage no event time");
        }
        long watermark = now.watermark();
        if (cursorMoved) {
            long ofData = ofData(lane, strategy);
            if (watermark > Math.max(before.watermark(), ofData)) {
                throw broken(
                        Rules.WATERMARK,
                        lane,
                        "the watermark of lane " + lane + " is raised to "
                                + LaneStanding.words(watermark) + "; by what is committed it is "
                                + LaneStanding.words(ofData));
            }
        } else if (watermark > ofParents(lane)) {
            checkWithoutRecord(lane, now, strategy);
        }
    }

    /** The watermark by the records up to the cursor. */
    private static long ofData(SentLane lane, StatementScenario strategy) {
        long max = WatermarkStrategy.NO_WATERMARK;
        for (SentRecord record : lane.records().subList(0, lane.committed())) {
            Posting posting = record.posting();
            if (posting != null && !posting.isFuture()) {
                max = Math.max(max, posting.eventTime());
            }
        }
        return max == WatermarkStrategy.NO_WATERMARK
                ? max
                : max - strategy.outOfOrderness().toMillis() - 1;
    }

    private long ofParents(SentLane lane) {
        return sent.shards().parentsOf(lane.name()).stream()
                .filter(parent -> standing(parent).discovered())
                .mapToLong(parent -> standing(parent).watermark())
                .min()
                .orElse(WatermarkStrategy.NO_WATERMARK);
    }

    /** A lane is raised because it is idle, or its input ended: it must have been empty when who raises it began. */
    private void checkWithoutRecord(SentLane lane, LaneStanding now, StatementScenario strategy) {
        Fiber fiber = Fiber.current();
        Instant begun = fiber == null ? clock.instant() : fiber.process().begunAt();
        exercised.count(Exercised.Event.IDLE_LANES);
        if (hasWaiting(lane, begun)) {
            throw broken(
                    Rules.WATERMARK,
                    lane,
                    "lane " + lane + " is raised to "
                            + LaneStanding.words(now.watermark())
                            + " and was not empty: it has got no further than record "
                            + lane.committed());
        }
        if (now.watermark() == WatermarkStrategy.END_OF_INPUT) {
            return;
        }
        long highest = WatermarkStrategy.NO_WATERMARK;
        long lowestAwake = WatermarkStrategy.END_OF_INPUT;
        for (Map.Entry<String, LaneStanding> other : lanes.entrySet()) {
            if (other.getKey().equals(lane.name())) {
                continue;
            }
            highest = Math.max(highest, other.getValue().watermark());
            SentLane otherLane = sent.lane(other.getKey());
            if (otherLane != null && !other.getValue().finished() && hasWaiting(otherLane, begun)) {
                lowestAwake = Math.min(lowestAwake, other.getValue().watermark());
            }
        }
        long limit = Math.max(Math.min(highest, lowestAwake), byClock(now, strategy));
        if (now.watermark() > limit) {
            throw broken(
                    Rules.WATERMARK,
                    lane,
                    "idle lane " + lane + " is raised to " + LaneStanding.words(now.watermark())
                            + "; the others are at " + LaneStanding.words(limit));
        }
    }

    /** Whether a lane held a record that was not committed when something began, and is not now. */
    private static boolean hasWaiting(SentLane lane, Instant begun) {
        int first = Math.max(lane.committed(), lane.expired());
        return first < lane.records().size()
                && !lane.records()
                        .get(first)
                        .record()
                        .approximateArrivalTimestamp()
                        .isAfter(begun);
    }

    private long byClock(LaneStanding lane, StatementScenario strategy) {
        if (!strategy.clockWhenIdle()
                || lane.lastArrival() == null
                || lane.ofData() == WatermarkStrategy.NO_WATERMARK) {
            return WatermarkStrategy.NO_WATERMARK;
        }
        Instant latest = clock.instant().plusSeconds(SimulatedLambda.CLOCK_SKEW_SECONDS);
        return lane.ofData() + Duration.between(lane.lastArrival(), latest).toMillis();
    }

    private void checkFinished(SentLane lane, LaneStanding now) {
        exercised.count(Exercised.Event.FINISHED_LANES);
        if (!sent.shards().isClosed(lane.name())) {
            throw broken(Rules.PARENTS_FIRST, lane, "lane " + lane + " is finished, and its shard is open");
        }
        for (SentRecord record :
                lane.records().subList(lane.committed(), lane.records().size())) {
            if (!record.isInGap() && record.index() >= lane.expired()) {
                throw broken(
                        Rules.PARENTS_FIRST,
                        lane,
                        "lane " + lane + " is finished, and " + record + " is not committed");
            }
        }
        for (String child : sent.shards().childrenOf(lane.name())) {
            LaneStanding itsStanding = standing(child);
            SentLane itsLane = sent.lane(child);
            if (sent.shards().isClosed(child) && isEmpty(child)) {
                // The stream may not list it any more, and nothing comes of it.
                continue;
            }
            if (!now.children().contains(child) || !itsStanding.discovered()) {
                throw broken(
                        Rules.PARENTS_FIRST,
                        lane,
                        "lane " + lane + " is finished with the children " + now.children() + ", and " + child + " is "
                                + itsStanding);
            }
            boolean isLast = sent.shards().parentsOf(child).stream()
                    .allMatch(parent -> standing(parent).finished());
            if (itsLane != null && isLast && itsStanding.watermark() < ofParents(itsLane)) {
                throw broken(
                        Rules.PARENTS_FIRST,
                        lane,
                        "lane " + lane + " is finished, and its child " + child + " is behind its parents: "
                                + itsStanding);
            }
        }
    }

    /** Nothing of a lane is absorbed before the lanes that it came of are finished. */
    void requireParentsFinished(SentLane lane, String subject) {
        for (String parent : sent.shards().parentsOf(lane.name())) {
            LaneStanding itsStanding = standing(parent);
            boolean isOver = itsStanding.discovered() ? itsStanding.finished() : isEmpty(parent);
            if (!isOver) {
                throw new BrokenRule(
                        Rules.PARENTS_FIRST,
                        subject,
                        "lane " + lane + " goes on, and its parent " + parent + " is not finished");
            }
        }
    }

    private static BrokenRule broken(String rule, SentLane lane, String what) {
        return new BrokenRule(rule, lane.name(), what);
    }
}
