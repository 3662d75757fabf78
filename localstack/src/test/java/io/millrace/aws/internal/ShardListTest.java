package io.millrace.aws.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.internal.engine.Position;
import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.ListShardsRequest;

/** The list of a stream's shards. */
class ShardListTest {
    private static final String STREAM = "flights";

    private final AtomicInteger pages = new AtomicInteger();
    private final KinesisClient kinesis = AwsEndpoint.of(EmbeddedAws.create()).kinesis(new OneShardAPage());

    /** Has each answer list one shard. */
    private final class OneShardAPage implements ExecutionInterceptor {
        @Override
        public SdkRequest modifyRequest(Context.ModifyRequest context, ExecutionAttributes attributes) {
            if (context.request() instanceof ListShardsRequest request) {
                pages.incrementAndGet();
                return request.toBuilder().maxResults(1).build();
            }
            return context.request();
        }
    }

    private ShardList read() {
        return ShardList.read(kinesis, new RetryingRequest(new Backoff(Surroundings.ofSystem())), STREAM);
    }

    /** A list that is cut short lacks shards, whose lanes would be taken for gone. */
    @Test
    void goesOnFromPageToPage() {
        kinesis.createStream(request -> request.streamName(STREAM).shardCount(5));
        assertThat(read().parentsFirst()).hasSize(5);
        assertThat(pages).hasValue(5);
    }

    @Test
    void knowsParentsChildrenAndEnds() {
        kinesis.createStream(request -> request.streamName(STREAM).shardCount(1));
        kinesis.splitShard(request -> request.streamName(STREAM)
                .shardToSplit("shardId-000000000000")
                .newStartingHashKey("170141183460469231731687303715884105728"));
        ShardList shards = read();
        assertThat(shards.parentsFirst()).first().isEqualTo("shardId-000000000000");
        assertThat(shards.childrenOf("shardId-000000000000"))
                .containsExactlyInAnyOrder("shardId-000000000001", "shardId-000000000002");
        assertThat(shards.parentsOf("shardId-000000000001")).isEqualTo(List.of("shardId-000000000000"));
        assertThat(shards.isOver("shardId-000000000000")).isTrue();
        assertThat(shards.isOver("shardId-000000000001")).isFalse();
        assertThat(shards.isOver("shardId-000000000009"))
                .as("a shard that is not listed")
                .isTrue();
    }

    @Test
    void theEndIsNeverBeforeWhatIsThere() {
        kinesis.createStream(request -> request.streamName(STREAM).shardCount(1));
        Position open = Position.of("5");
        assertThat(read().endOf("shardId-000000000000", open))
                .as("an open shard")
                .isEqualTo(open);
        kinesis.splitShard(request -> request.streamName(STREAM)
                .shardToSplit("shardId-000000000000")
                .newStartingHashKey("170141183460469231731687303715884105728"));
        assertThat(read().endOf("shardId-000000000000", open)).isGreaterThan(open);
        Position far = Position.of("9".repeat(60));
        assertThat(read().endOf("shardId-000000000000", far)).isEqualTo(far);
    }
}
