package io.millrace.local.testing;

import io.millrace.PipelineDefinition;
import io.millrace.aws.Provisioning;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.Surroundings;
import io.millrace.aws.internal.TableNames;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.internal.CallersThread;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.Shard;

/** The embedded AWS of one driver with its clock, its clients, and the pipeline's streams and tables. Single-threaded. */
final class TestCloud implements AutoCloseable {
    private final DriverClock clock;
    private final EmbeddedAws aws;
    private final TestClients clients;
    private final TableNames tables;
    private final Surroundings surroundings;
    private final IoExecutor io = new IoExecutor(new CallersThread());
    private final Map<String, List<Shard>> shards = new HashMap<>();

    /**
     * @param clients closed by whoever made them; pointed to this AWS until another one is made with them
     */
    TestCloud(PipelineDefinition definition, DriverSettings settings, TestClients clients) {
        this.clients = clients;
        this.clock = new DriverClock(settings.start());
        this.tables = TableNames.ofPipeline(definition.name());
        this.aws = EmbeddedAws.builder().clock(clock).seed(settings.seed()).build();
        clients.tap().pointTo(aws.httpClient());
        clients.conflicts().setStateTable(tables.state());
        // Waiting takes no time, so that what is stored with a time is the same however often a write was repeated; and
        // a tick
        // that crashed keeps the next one from nothing, which would otherwise wait for time to pass.
        this.surroundings = new Surroundings(clock, new Random(settings.seed()), millis -> {}).withSweepLeaseMillis(0);
        for (String stream : Provisioning.streamsOf(definition)) {
            kinesis().createStream(request -> request.streamName(stream).shardCount(settings.shards()));
        }
        new Provisioning(dynamoDb()).createTables(definition);
    }

    DriverClock clock() {
        return clock;
    }

    EmbeddedAws aws() {
        return aws;
    }

    RequestTap tap() {
        return clients.tap();
    }

    CommitConflicts conflicts() {
        return clients.conflicts();
    }

    DynamoDbClient dynamoDb() {
        return clients.dynamoDb();
    }

    KinesisClient kinesis() {
        return clients.kinesis();
    }

    TableNames tables() {
        return tables;
    }

    Surroundings surroundings() {
        return surroundings;
    }

    IoExecutor io() {
        return io;
    }

    /** All shards of a stream, those that were split or merged included, in the order of their ids. */
    List<Shard> shards(String stream) {
        return shards.computeIfAbsent(stream, this::listShards);
    }

    /** The stream has other shards now. */
    void forgetShards(String stream) {
        shards.remove(stream);
    }

    /** Whether a shard was split or merged. */
    static boolean isClosed(Shard shard) {
        return shard.sequenceNumberRange().endingSequenceNumber() != null;
    }

    private List<Shard> listShards(String stream) {
        return kinesis().listShards(request -> request.streamName(stream)).shards().stream()
                .sorted(Comparator.comparing(Shard::shardId))
                .toList();
    }

    @Override
    public void close() {
        aws.close();
    }
}
