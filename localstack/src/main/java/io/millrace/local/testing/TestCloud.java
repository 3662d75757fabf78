package io.millrace.local.testing;

import io.millrace.PipelineDefinition;
import io.millrace.aws.Provisioning;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.Surroundings;
import io.millrace.aws.internal.TableNames;
import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
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
    private final RequestTap tap;
    private final CommitConflicts conflicts;
    private final AwsEndpoint endpoint;
    private final DynamoDbClient dynamoDb;
    private final KinesisClient kinesis;
    private final TableNames tables;
    private final Surroundings surroundings;
    private final IoExecutor io = new IoExecutor(new CallersThread());
    private final Map<String, List<Shard>> shards = new HashMap<>();

    TestCloud(PipelineDefinition definition, DriverSettings settings) {
        this.clock = new DriverClock(settings.start());
        this.tables = TableNames.ofPipeline(definition.name());
        this.aws = EmbeddedAws.builder().clock(clock).seed(settings.seed()).build();
        this.tap = new RequestTap(aws.httpClient());
        this.conflicts = new CommitConflicts(tables.state(), tap);
        this.endpoint = AwsEndpoint.of(aws);
        this.dynamoDb = endpoint.dynamoDb(tap, conflicts);
        this.kinesis = endpoint.kinesis(tap);
        // Waiting takes no time, so that what is stored with a time is the same however often a write was repeated.
        this.surroundings = new Surroundings(clock, new Random(settings.seed()), millis -> {});
        conflicts.setDynamoDb(dynamoDb);
        for (String stream : Provisioning.streamsOf(definition)) {
            kinesis.createStream(request -> request.streamName(stream).shardCount(settings.shards()));
        }
        new Provisioning(dynamoDb).createTables(definition);
    }

    DriverClock clock() {
        return clock;
    }

    EmbeddedAws aws() {
        return aws;
    }

    RequestTap tap() {
        return tap;
    }

    CommitConflicts conflicts() {
        return conflicts;
    }

    DynamoDbClient dynamoDb() {
        return dynamoDb;
    }

    KinesisClient kinesis() {
        return kinesis;
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

    /** The shards that a stream was created with, in the order of their ids. */
    List<Shard> shards(String stream) {
        return shards.computeIfAbsent(stream, this::listShards);
    }

    private List<Shard> listShards(String stream) {
        return kinesis.listShards(request -> request.streamName(stream)).shards().stream()
                .sorted(Comparator.comparing(Shard::shardId))
                .toList();
    }

    @Override
    public void close() {
        dynamoDb.close();
        kinesis.close();
        endpoint.close();
        aws.close();
    }
}
