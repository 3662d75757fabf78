package io.millrace.simulation;

import io.millrace.local.EventSourceMappingListener;
import io.millrace.local.InvocationOutcome;
import io.millrace.local.StartingPosition;
import io.millrace.local.internal.mapping.Batch;
import io.millrace.local.internal.mapping.KinesisShardSource;
import io.millrace.local.internal.mapping.MappingSettings;
import io.millrace.local.internal.mapping.ReadOutcome;
import io.millrace.local.internal.mapping.ShardConsumer;
import io.millrace.local.internal.mapping.ShardDirectory;
import io.millrace.local.internal.mapping.ShardStep;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.model.KinesisException;
import software.amazon.awssdk.services.kinesis.model.Record;

/** The event source mapping of one stream, step by step: the local poller's own state machines in virtual time. */
final class SimulatedMapping {
    private static final Duration LISTING_INTERVAL = Duration.ofSeconds(30);

    /** A batch that wants to be invoked. */
    record Wanted(SimulatedMapping mapping, String shardId, Batch batch) {}

    private final SentRecords sent;
    private final String stream;
    private final KinesisShardSource source;
    private final MappingSettings settings;
    private final ShardDirectory directory = new ShardDirectory(StartingPosition.trimHorizon());
    private final Map<String, ShardConsumer> consumers = new LinkedHashMap<>();
    private final Map<String, Instant> rests = new LinkedHashMap<>();
    private final Map<String, Integer> read = new LinkedHashMap<>();
    private final Duration retention;
    private Instant nextListing = Instant.MIN;

    SimulatedMapping(String stream, SentRecords sent, Scenario scenario) {
        this.sent = sent;
        this.stream = stream;
        this.source = new KinesisShardSource(SimulatedAws.KINESIS, stream);
        this.retention = source.retention();
        this.settings = new MappingSettings(
                source.streamArn(),
                "arn:aws:lambda:us-east-1:000000000000:function:simulated",
                StartingPosition.trimHorizon(),
                scenario.batchSize(),
                Duration.ZERO,
                true,
                scenario.bisects(),
                MappingSettings.UNLIMITED,
                MappingSettings.UNLIMITED,
                1,
                Duration.ofMillis(5),
                Duration.ofMillis(500),
                Duration.ofSeconds(1));
    }

    String stream() {
        return stream;
    }

    String streamArn() {
        return settings.streamArn();
    }

    /** When it has something to do next. */
    Instant wakesAt() {
        return rests.values().stream()
                .min(Instant::compareTo)
                .filter(rest -> rest.isBefore(nextListing))
                .orElse(nextListing);
    }

    /** Lists the shards, or lets one shard that is due take a step; what it wants invoked is returned. */
    @Nullable
    Wanted step(Instant now, SplittableRandom random) {
        if (!nextListing.isAfter(now)) {
            nextListing = now.plus(LISTING_INTERVAL);
            list();
            return null;
        }
        List<String> due = rests.entrySet().stream()
                .filter(rest -> !rest.getValue().isAfter(now))
                .map(Map.Entry::getKey)
                .toList();
        return due.isEmpty() ? null : stepOf(due.get(random.nextInt(due.size())), now);
    }

    private void list() {
        directory.onListed(source.listShards());
        for (ShardDirectory.Ready ready : directory.takeReady()) {
            ShardConsumer consumer =
                    new ShardConsumer(ready.shardId(), ready.start(), settings, new EventSourceMappingListener() {
                        @Override
                        public void acknowledged(String shardId, List<Record> records) {
                            onAcknowledged(shardId, records);
                        }
                    });
            consumer.setRetention(retention);
            consumers.put(ready.shardId(), consumer);
            rests.put(ready.shardId(), Instant.MIN);
        }
    }

    private void onAcknowledged(String shardId, List<Record> records) {
        SentLane lane = sent.lane(stream, shardId);
        lane.acknowledge(lane.endOf(records.get(records.size() - 1).sequenceNumber()));
    }

    private @Nullable Wanted stepOf(String shardId, Instant now) {
        ShardConsumer consumer = consumerOf(shardId);
        ShardStep step = consumer.next(now);
        if (step instanceof ShardStep.OpenIterator open) {
            openIterator(consumer, open, now);
        } else if (step instanceof ShardStep.Read wanted) {
            consumer.onRead(read(shardId, wanted), now);
        } else if (step instanceof ShardStep.Invoke invoke) {
            return new Wanted(this, shardId, invoke.batch());
        } else if (step instanceof ShardStep.Deliver deliver) {
            consumer.onDelivered(deliver);
        } else if (step instanceof ShardStep.WaitUntil until) {
            rests.put(shardId, until.time());
        } else if (step instanceof ShardStep.Finished) {
            rests.put(shardId, Instant.MAX);
            directory.onFinished(shardId);
            nextListing = now;
        } else {
            rests.put(shardId, Instant.MAX);
        }
        return null;
    }

    /** Reads a shard; where nothing can be new, an empty answer at the tip is given without asking for it. */
    private ReadOutcome read(String shardId, ShardStep.Read wanted) {
        SentLane lane = sent.lane(stream, shardId);
        int readBefore = Math.max(read.getOrDefault(shardId, 0), lane.expired());
        if (readBefore == lane.records().size() && sent.reshards() == 0) {
            return new ReadOutcome.Page(List.of(), wanted.iterator(), 0);
        }
        ReadOutcome outcome = source.read(wanted.iterator(), wanted.limit());
        if (outcome instanceof ReadOutcome.Page page && !page.records().isEmpty()) {
            String last = page.records().get(page.records().size() - 1).sequenceNumber();
            read.put(shardId, lane.endOf(last));
        }
        return outcome;
    }

    private void openIterator(ShardConsumer consumer, ShardStep.OpenIterator open, Instant now) {
        try {
            consumer.onIterator(source.openIterator(consumer.shardId(), open.position()));
        } catch (KinesisException gone) {
            consumer.onIteratorFailed(gone, now);
        }
    }

    /** The outcome of an invocation that it wanted. */
    void onInvoked(String shardId, Batch batch, InvocationOutcome outcome, Instant now) {
        consumerOf(shardId).onInvoked(batch, outcome, now);
        rests.put(shardId, now);
    }

    private ShardConsumer consumerOf(String shardId) {
        ShardConsumer consumer = consumers.get(shardId);
        if (consumer == null) {
            throw new IllegalStateException("The mapping of " + stream + " does not read " + shardId + ".");
        }
        return consumer;
    }
}
