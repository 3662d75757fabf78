package io.millrace.local.internal.mapping;

import io.millrace.local.EventSourceMappingListener;
import io.millrace.local.InvocationOutcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException;

/**
 * The state machine of one shard: reads its records in order and leads every one of them to an acknowledgement or to the
 * failure destination. {@link #next} says what to do, the {@code on...} methods take the results. It has no thread, no
 * clock, no randomness and does no I/O, so a simulation can drive it step by step, and the same results in the same order
 * give the same steps; the caller serialises the calls.
 *
 * <p>At most one read, and one invocation per lane, is outstanding at any time. Reading goes on beside an invocation until
 * a bounded buffer is full.
 */
public final class ShardConsumer {
    private static final Duration UNLIMITED_AGE = Duration.ofDays(36_500);

    private final String shardId;
    private final MappingSettings settings;
    private final EventSourceMappingListener listener;
    private final List<BatchLane> lanes = new ArrayList<>();
    private Duration recordAgeMax;

    private ShardPosition position;
    private @Nullable String iterator;
    private boolean reading;
    private boolean ended;
    private boolean finished;
    private int failedReads;
    private Instant nextRead = Instant.MIN;
    private Instant openRequested = Instant.MIN;
    private long requestedEpoch;
    private long readEpoch;
    private long tipEpoch = -1;

    public ShardConsumer(
            String shardId, ShardPosition start, MappingSettings settings, EventSourceMappingListener listener) {
        this.shardId = shardId;
        this.position = start;
        this.settings = settings;
        this.listener = listener;
        this.recordAgeMax = ageMax(settings, UNLIMITED_AGE);
        for (int lane = 0; lane < settings.parallelizationFactor(); lane++) {
            lanes.add(new BatchLane(lane, shardId, settings, listener));
        }
    }

    /** Sets the stream's retention: a record older than that is given up whatever the mapping's own limits are. */
    public void setRetention(Duration retention) {
        recordAgeMax = ageMax(settings, retention);
    }

    private static Duration ageMax(MappingSettings settings, Duration retention) {
        Duration own = settings.maximumRecordAgeSeconds() == MappingSettings.UNLIMITED
                ? UNLIMITED_AGE
                : Duration.ofSeconds(settings.maximumRecordAgeSeconds());
        return own.compareTo(retention) < 0 ? own : retention;
    }

    public String shardId() {
        return shardId;
    }

    /** What to do now. A step other than waiting is outstanding from here on until its result is given. */
    public ShardStep next(Instant now) {
        if (finished) {
            return new ShardStep.Finished();
        }
        @Nullable Instant wake = null;
        for (BatchLane lane : lanes) {
            @Nullable ShardStep step = lane.next(now, ended, recordAgeMax);
            if (step instanceof ShardStep.WaitUntil until) {
                wake = earlier(wake, until.time());
            } else if (step != null) {
                return step;
            }
        }
        if (ended && lanes.stream().allMatch(BatchLane::idle)) {
            finished = true;
            listener.shardFinished(shardId);
            return new ShardStep.Finished();
        }
        if (!ended && !reading && bufferHasRoom()) {
            if (!now.isBefore(nextRead)) {
                return readStep(now);
            }
            wake = earlier(wake, nextRead);
        }
        return wake == null ? new ShardStep.AwaitResult() : new ShardStep.WaitUntil(wake);
    }

    private ShardStep readStep(Instant now) {
        reading = true;
        readEpoch = requestedEpoch;
        @Nullable String current = iterator;
        if (current == null) {
            openRequested = now;
            return new ShardStep.OpenIterator(position);
        }
        int room = settings.bufferedRecordsMax() - queuedRecords();
        return new ShardStep.Read(current, Math.min(room, MappingSettings.RECORDS_PER_READ_MAX));
    }

    private boolean bufferHasRoom() {
        return queuedRecords() < settings.bufferedRecordsMax()
                && lanes.stream().mapToLong(BatchLane::queuedBytes).sum() < settings.bufferedBytesMax();
    }

    private int queuedRecords() {
        return lanes.stream().mapToInt(BatchLane::queuedRecords).sum();
    }

    private static Instant earlier(@Nullable Instant one, Instant other) {
        return one == null || other.isBefore(one) ? other : one;
    }

    /** The iterator that was asked for. */
    public void onIterator(String opened) {
        reading = false;
        failedReads = 0;
        iterator = opened;
        if (position instanceof ShardPosition.Newest) {
            // Opening at the tip a second time, after this iterator expired unused, would skip what came in between.
            position = new ShardPosition.AtTime(openRequested);
        }
    }

    /** The iterator could not be opened: it is tried again after a pause, unless the shard is gone for good. */
    public void onIteratorFailed(RuntimeException failure, Instant now) {
        if (failure instanceof ResourceNotFoundException) {
            // The retention ended between two reads; whoever waited for the shard's end, as its children do, may go on.
            onRead(new ReadOutcome.ShardGone(), now);
        } else {
            onReadFailed(failure, now);
        }
    }

    /** The result of the read. */
    public void onRead(ReadOutcome outcome, Instant now) {
        if (outcome instanceof ReadOutcome.Failed failed) {
            onReadFailed(failed.failure(), now);
            return;
        }
        reading = false;
        failedReads = 0;
        if (outcome instanceof ReadOutcome.Page page) {
            onPage(page, now);
        } else if (outcome instanceof ReadOutcome.IteratorExpired) {
            iterator = null;
        } else {
            ended = true;
        }
    }

    private void onPage(ReadOutcome.Page page, Instant now) {
        for (Record kinesisRecord : page.records()) {
            lanes.get(laneOf(kinesisRecord)).add(kinesisRecord, now);
            position = new ShardPosition.After(kinesisRecord.sequenceNumber());
        }
        iterator = page.nextIterator();
        ended = iterator == null;
        boolean caughtUp = page.millisBehindLatest() == 0;
        if (caughtUp) {
            tipEpoch = readEpoch;
        }
        boolean moreAtHand = !page.records().isEmpty() && !caughtUp;
        boolean tipWanted = caughtUp && tipEpoch < requestedEpoch;
        nextRead = moreAtHand || tipWanted ? now : now.plus(settings.pollInterval());
    }

    private void onReadFailed(RuntimeException failure, Instant now) {
        reading = false;
        failedReads++;
        listener.readFailed(shardId, failure);
        Duration backoff = settings.backoff(failedReads);
        Duration pause = backoff.compareTo(settings.pollInterval()) > 0 ? backoff : settings.pollInterval();
        nextRead = now.plus(pause);
    }

    private int laneOf(Record kinesisRecord) {
        @Nullable String key = kinesisRecord.partitionKey();
        if (lanes.size() == 1 || key == null) {
            return 0;
        }
        CRC32 hash = new CRC32();
        hash.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % lanes.size());
    }

    /** The outcome of an invocation. */
    public void onInvoked(Batch batch, InvocationOutcome outcome, Instant now) {
        lanes.get(batch.lane()).onInvoked(outcome, now);
    }

    /** The report on a discarded batch was delivered, or could not be. */
    public void onDelivered(ShardStep.Deliver delivered) {
        lanes.get(delivered.lane()).onDelivered();
    }

    /** Asks for a read to the tip that begins from now on; {@link #drained} with this epoch tells when it is done. */
    public void requestTip(long epoch) {
        if (epoch > requestedEpoch) {
            requestedEpoch = epoch;
            nextRead = Instant.MIN;
        }
    }

    /**
     * Tells whether the shard was read to its tip by a read that began after {@link #requestTip} of that epoch, and all
     * that was read is acknowledged or given up.
     */
    public boolean drained(long epoch) {
        return finished || (tipEpoch >= epoch && !ended && lanes.stream().allMatch(BatchLane::idle));
    }

    /** Tells whether the shard needs nothing any more. */
    public boolean finished() {
        return finished;
    }
}
