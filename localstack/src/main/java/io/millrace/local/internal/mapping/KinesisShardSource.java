package io.millrace.local.internal.mapping;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.ExpiredIteratorException;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.GetShardIteratorRequest;
import software.amazon.awssdk.services.kinesis.model.ListShardsRequest;
import software.amazon.awssdk.services.kinesis.model.ListShardsResponse;
import software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException;
import software.amazon.awssdk.services.kinesis.model.Shard;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/** A Kinesis stream behind the SDK's client. */
public final class KinesisShardSource implements ShardSource {
    private static final int LIST_PAGES_MAX = 10_000;

    private final KinesisClient client;
    private final String streamName;

    public KinesisShardSource(KinesisClient client, String streamName) {
        this.client = client;
        this.streamName = streamName;
    }

    /** The stream's ARN, which the events carry. */
    public String streamArn() {
        return client.describeStreamSummary(request -> request.streamName(streamName))
                .streamDescriptionSummary()
                .streamARN();
    }

    @Override
    public Duration retention() {
        return Duration.ofHours(client.describeStreamSummary(request -> request.streamName(streamName))
                .streamDescriptionSummary()
                .retentionPeriodHours());
    }

    @Override
    public List<SourceShard> listShards() {
        List<SourceShard> shards = new ArrayList<>();
        ListShardsRequest request =
                ListShardsRequest.builder().streamName(streamName).build();
        for (int page = 0; page < LIST_PAGES_MAX; page++) {
            ListShardsResponse response = client.listShards(request);
            response.shards().forEach(shard -> shards.add(toSourceShard(shard)));
            @Nullable String nextToken = response.nextToken();
            if (nextToken == null) {
                return shards;
            }
            // With a token, Kinesis refuses the stream's name.
            request = ListShardsRequest.builder().nextToken(nextToken).build();
        }
        throw new IllegalStateException(
                "ListShards of " + streamName + " did not end within " + LIST_PAGES_MAX + " pages");
    }

    private static SourceShard toSourceShard(Shard shard) {
        List<String> parents = Stream.of(shard.parentShardId(), shard.adjacentParentShardId())
                .filter(parent -> parent != null && !parent.isEmpty())
                .toList();
        return new SourceShard(shard.shardId(), parents);
    }

    @Override
    public String openIterator(String shardId, ShardPosition position) {
        GetShardIteratorRequest.Builder request =
                GetShardIteratorRequest.builder().streamName(streamName).shardId(shardId);
        if (position instanceof ShardPosition.After after) {
            request.shardIteratorType(ShardIteratorType.AFTER_SEQUENCE_NUMBER)
                    .startingSequenceNumber(after.sequenceNumber());
        } else if (position instanceof ShardPosition.AtTime at) {
            request.shardIteratorType(ShardIteratorType.AT_TIMESTAMP).timestamp(at.time());
        } else if (position instanceof ShardPosition.Newest) {
            request.shardIteratorType(ShardIteratorType.LATEST);
        } else {
            request.shardIteratorType(ShardIteratorType.TRIM_HORIZON);
        }
        return client.getShardIterator(request.build()).shardIterator();
    }

    @Override
    public ReadOutcome read(String iterator, int limit) {
        try {
            GetRecordsResponse response =
                    client.getRecords(request -> request.shardIterator(iterator).limit(limit));
            @Nullable Long behind = response.millisBehindLatest();
            return new ReadOutcome.Page(response.records(), response.nextShardIterator(), behind == null ? 0 : behind);
        } catch (ExpiredIteratorException expired) {
            return new ReadOutcome.IteratorExpired();
        } catch (ResourceNotFoundException gone) {
            return new ReadOutcome.ShardGone();
        } catch (SdkException failure) {
            return new ReadOutcome.Failed(failure);
        }
    }
}
