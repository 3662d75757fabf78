package io.millrace.aws;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import io.millrace.ErrorPolicy;
import io.millrace.MillraceException;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.Surroundings;
import io.millrace.local.FaultInjector;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.SdkHttpClient;

/**
 * One run of a pipeline over deliveries as Lambda makes them at its worst: invocations of all lanes interleave request by
 * request; some die, some are taken for dead and go on later, old batches come again, batches are cut and recomposed, and
 * AWS answers with faults. One seed decides everything, so a run can be repeated. What must always hold is checked after
 * each invocation.
 */
final class ShellChaos {
    private static final int STEPS_MAX = 20_000;
    private static final int BATCH_MAX = 12;
    private static final int MISFORTUNES_MAX = 8;
    private static final int IDLE_DELIVERIES_MAX = 8;

    /** One invocation, and which records it was given. */
    private record Invocation(int lane, int from, int to, Fiber<StreamsEventResponse> fiber) {}

    /** How far a lane is acknowledged, and who works on it. */
    private static final class Feed {
        private int acknowledged;
        private int lastTo;
        private int deliveries;
        private int idleDeliveries;
        private int misfortunes;
        private @Nullable Invocation current;
    }

    private final long seed;
    private final Random random;
    private final int attempts;
    private final Mishaps pipeline;
    private final ChaosWorld world;
    private final SdkHttpClient http;
    private final boolean faulty;
    private final List<Feed> feeds = new ArrayList<>();
    private final List<Invocation> strays = new ArrayList<>();
    private int misfortunesLeft;

    ShellChaos(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
        this.attempts = random.nextInt(4);
        ErrorPolicy policy = attempts == 0 ? ErrorPolicy.fail() : ErrorPolicy.retryThenDeadLetter(attempts);
        ErrorPolicy undecodable = random.nextBoolean()
                ? ErrorPolicy.deadLetter()
                : ErrorPolicy.retryThenDeadLetter(2 + random.nextInt(3));
        this.pipeline = new Mishaps(policy, undecodable);
        this.world = new ChaosWorld(pipeline, random, 1 + random.nextInt(3));
        this.misfortunesLeft = random.nextInt(3) == 0 ? 0 : random.nextInt(MISFORTUNES_MAX + 1);
        this.faulty = random.nextInt(3) == 0;
        this.http = faulty ? FaultInjector.seeded(seed).decorate(world.fiberHttpClient()) : world.fiberHttpClient();
        world.lanes().forEach(lane -> feeds.add(new Feed()));
    }

    /** Delivers until all is acknowledged and every stray has ended, and checks what has come of it. */
    void run() {
        try (world) {
            for (int step = 0; !isDone(); step++) {
                assertThat(step).as("steps").isLessThan(STEPS_MAX);
                step();
            }
            world.assertEachRecordOnce(this::mayBeGivenUp);
        }
    }

    private boolean isDone() {
        for (int lane = 0; lane < feeds.size(); lane++) {
            if (feeds.get(lane).acknowledged < world.lanes().get(lane).records().size()) {
                return false;
            }
        }
        return strays.isEmpty();
    }

    private void step() {
        if (!strays.isEmpty() && random.nextInt(4) == 0) {
            goOn(strays.remove(random.nextInt(strays.size())));
            return;
        }
        int lane = random.nextInt(feeds.size());
        Feed feed = feeds.get(lane);
        if (misfortunesLeft > 0 && random.nextInt(40) == 0) {
            misfortunesLeft--;
            deliverAgain(lane, feed);
            return;
        }
        if (feed.current == null) {
            if (feed.acknowledged < world.lanes().get(lane).records().size()) {
                deliver(lane, feed);
            }
            return;
        }
        work(feed, feed.current);
    }

    private void goOn(Invocation stray) {
        if (random.nextInt(10) == 0) {
            stray.fiber().kill();
        } else if (!stray.fiber().run(1 + random.nextInt(12))) {
            strays.add(stray);
            return;
        }
        acknowledgedBy(stray);
    }

    /** An old batch again, out of order: an old mapping, or a retry that Lambda forgot. */
    private void deliverAgain(int lane, Feed feed) {
        int size = world.lanes().get(lane).records().size();
        int from = random.nextInt(feed.acknowledged + 1);
        int to = Math.min(size, from + 1 + random.nextInt(BATCH_MAX));
        if (from < to) {
            feed.misfortunes++;
            strays.add(begin(lane, from, to));
        }
    }

    private void deliver(int lane, Feed feed) {
        int size = world.lanes().get(lane).records().size();
        int from = feed.acknowledged;
        int to = Math.min(size, from + 1 + random.nextInt(BATCH_MAX));
        if (feed.lastTo > from) {
            to = switch (random.nextInt(4)) {
                case 0 -> from + (feed.lastTo - from + 1) / 2;
                case 1 -> Math.min(size, feed.lastTo + random.nextInt(BATCH_MAX));
                default -> feed.lastTo;
            };
        }
        feed.lastTo = to;
        feed.deliveries++;
        assertThat(feed.deliveries)
                .as("deliveries of lane %s, now at record %s of %s", lane, from, size)
                .isLessThan((40 + 20 * world.lanes().get(lane).mishaps() + 10 * feed.misfortunes) * (faulty ? 3 : 1));
        feed.current = begin(lane, from, to);
    }

    private Invocation begin(int lane, int from, int to) {
        ChaosContext context =
                random.nextInt(8) == 0 ? ChaosContext.endingAtQuestion(1 + random.nextInt(60)) : ChaosContext.endless();
        MillraceFunction function = MillraceFunction.builder()
                .pipeline(pipeline)
                .dynamoDb(world.dynamoDb(http))
                .kinesis(world.kinesis(http))
                .ioExecutor(new IoExecutor(new CallersThread()))
                .surroundings(new Surroundings(Clock.systemUTC(), new Random(random.nextLong()), millis -> {}))
                .build();
        return new Invocation(
                lane, from, to, new Fiber<>(() -> function.handleRequest(world.event(lane, from, to), context)));
    }

    private void work(Feed feed, Invocation current) {
        int fate = misfortunesLeft > 0 ? random.nextInt(16) : -1;
        if (fate == 0 || fate == 1) {
            misfortunesLeft--;
            feed.misfortunes++;
            feed.current = null;
            if (fate == 0) {
                current.fiber().kill();
            } else {
                strays.add(current);
            }
            return;
        }
        if (!current.fiber().run(1 + random.nextInt(8))) {
            return;
        }
        feed.current = null;
        int acknowledged = acknowledgedBy(current);
        feed.idleDeliveries = acknowledged > feed.acknowledged ? 0 : feed.idleDeliveries + 1;
        feed.acknowledged = Math.max(feed.acknowledged, acknowledged);
        if (attempts == 0 && feed.idleDeliveries > IDLE_DELIVERIES_MAX) {
            pipeline.mend();
        }
    }

    /** Up to where an invocation that has ended has acknowledged its records, each of which must be accounted for. */
    private int acknowledgedBy(Invocation ended) {
        Throwable thrown = ended.fiber().thrown();
        if (thrown != null) {
            boolean expected = thrown instanceof Fiber.Died
                    || thrown instanceof OutOfMemoryError
                    || (thrown instanceof MillraceException && faulty);
            if (!expected || thrown instanceof LaneGapException) {
                throw new AssertionError("seed " + seed + ": an invocation failed by itself", thrown);
            }
            world.assertAcknowledgedRightly(ended.lane(), ended.from(), ended.from());
            return ended.from();
        }
        List<StreamsEventResponse.BatchItemFailure> failures =
                Objects.requireNonNull(ended.fiber().result()).getBatchItemFailures();
        int acknowledged = ended.to();
        if (!failures.isEmpty()) {
            assertThat(failures).hasSize(1);
            acknowledged =
                    world.lanes().get(ended.lane()).indexOf(failures.get(0).getItemIdentifier());
            assertThat(acknowledged).isBetween(ended.from(), ended.to() - 1);
        }
        world.assertAcknowledgedRightly(ended.lane(), ended.from(), acknowledged);
        return acknowledged;
    }

    /** A record that nothing is wrong with is given up only if its invocations ended without an end often enough. */
    private boolean mayBeGivenUp(int lane) {
        return attempts > 0 && feeds.get(lane).misfortunes >= attempts;
    }
}
