package io.millrace.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.mapping.InMemoryShards;
import io.millrace.local.internal.mapping.ReadOutcome;
import io.millrace.local.internal.mapping.ShardPosition;
import java.time.Clock;
import java.time.Duration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** The mapping over the SDK's Kinesis client, with the faults of reading. */
class KinesisSourceTest {
    private static final String PARENT = "shardId-000000000000";
    private static final String CHILD = "shardId-000000000001";

    private final InMemoryShards shards = new InMemoryShards(Clock.systemUTC(), 20);
    private final TinyAws aws = new TinyAws()
            .on("DescribeStreamSummary", request -> summary())
            .on("ListShards", this::listShards)
            .on("GetShardIterator", this::openIterator)
            .on("GetRecords", this::read);

    private static ObjectNode summary() {
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.putObject("StreamDescriptionSummary")
                .put("StreamARN", InMemoryShards.STREAM_ARN)
                .put("RetentionPeriodHours", 24);
        return answer;
    }

    /** Pages of one shard, so that the token is used; with it, Kinesis refuses the stream's name. */
    private ObjectNode listShards(ObjectNode request) {
        boolean second = request.has("NextToken");
        assertThat(request.has("StreamName")).isEqualTo(!second);
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ObjectNode shard = answer.putArray("Shards").addObject();
        shard.put("ShardId", second ? CHILD : PARENT);
        if (second) {
            shard.put("ParentShardId", PARENT);
        } else {
            answer.put("NextToken", "second");
        }
        return answer;
    }

    private ObjectNode openIterator(ObjectNode request) {
        ShardPosition position = request.has("StartingSequenceNumber")
                ? new ShardPosition.After(request.get("StartingSequenceNumber").asText())
                : new ShardPosition.Oldest();
        String iterator = shards.openIterator(request.get("ShardId").asText(), position);
        return JsonNodeFactory.instance.objectNode().put("ShardIterator", iterator);
    }

    private ObjectNode read(ObjectNode request) {
        ReadOutcome.Page page = (ReadOutcome.Page) shards.read(
                request.get("ShardIterator").asText(), request.get("Limit").asInt());
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ArrayNode records = answer.putArray("Records");
        page.records()
                .forEach(one -> records.addObject()
                        .put("SequenceNumber", one.sequenceNumber())
                        .put("PartitionKey", one.partitionKey())
                        .put("Data", one.data().asByteArray()));
        if (page.nextIterator() != null) {
            answer.put("NextShardIterator", page.nextIterator());
        }
        return answer.put("MillisBehindLatest", page.millisBehindLatest());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @Timeout(20)
    void readsEverythingInOrderThroughTheFaultsOfReading(long seed) throws InterruptedException {
        shards.addShard(PARENT);
        shards.addShard(CHILD, PARENT);
        for (int number = 0; number < 300; number++) {
            shards.put(number < 200 ? PARENT : CHILD, "key");
        }
        shards.close(PARENT);
        FaultInjector injector = FaultInjector.builder(seed)
                .none()
                .probability(Fault.EMPTY_READ, 0.2)
                .probability(Fault.EXPIRED_ITERATOR, 0.2)
                .probability(Fault.INTERNAL_SERVER_ERROR, 0.02)
                .probability(Fault.LOST_RESPONSE, 0.02)
                .build();
        Recorder recorder = new Recorder();
        FunctionInvoker function = InJvmFunctionInvoker.sharing((event, context) -> {
            recorder.record(event);
            return new StreamsEventResponse();
        });
        try (KinesisClient client = KinesisClient.builder()
                        .httpClient(injector.decorate(aws))
                        .region(Region.EU_WEST_1)
                        .credentialsProvider(
                                StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local")))
                        .build();
                EventSourceMapping mapping = EventSourceMapping.builder(client, "flights", function)
                        .batchSize(10)
                        .pollInterval(Duration.ofMillis(2))
                        .retryBackoff(Duration.ofMillis(1), Duration.ofMillis(2))
                        .build()) {
            mapping.start();
            assertThat(mapping.awaitDrained(Duration.ofSeconds(15))).isTrue();
        }
        assertThat(recorder.firstDeliveries(PARENT)).hasSize(200).isSorted();
        assertThat(recorder.firstDeliveries(CHILD)).hasSize(100).isSorted();
        assertThat(injector.injected().get(Fault.EMPTY_READ)).isPositive();
        assertThat(injector.injected().get(Fault.EXPIRED_ITERATOR)).isPositive();
    }
}
