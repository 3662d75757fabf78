package io.millrace.local.testing;

import io.millrace.serde.Serde;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kinesis.model.PutRecordRequest;
import software.amazon.awssdk.services.kinesis.model.Shard;

/**
 * Sends records to a stream of a {@link PipelineTestDriver}: to shard 0 unless {@link #onShard} or {@link #partitionedBy}
 * says otherwise. Each record is put by a request of its own, so their order is that of the calls. Immutable.
 */
public final class TestInput<T> {
    private static final String PARTITION_KEY = "test";

    private final TestCloud cloud;
    private final String stream;
    private final Serde<T> serde;
    private final int shard;
    private final @Nullable Function<? super T, String> partitionKey;

    TestInput(
            TestCloud cloud,
            String stream,
            Serde<T> serde,
            int shard,
            @Nullable Function<? super T, String> partitionKey) {
        this.cloud = cloud;
        this.stream = stream;
        this.serde = serde;
        this.shard = shard;
        this.partitionKey = partitionKey;
    }

    /**
     * The same stream, of which a given shard gets the records.
     *
     * @param newShard from 0
     * @throws IndexOutOfBoundsException if the stream has not so many
     */
    public TestInput<T> onShard(int newShard) {
        int shards = cloud.shards(stream).size();
        if (newShard < 0 || newShard >= shards) {
            throw new IndexOutOfBoundsException("There is no shard " + newShard + ": the stream '" + stream + "' has "
                    + shards + ", counted from 0. Build the driver with shards(" + (Math.max(newShard, 0) + 1)
                    + ") or more.");
        }
        return new TestInput<>(cloud, stream, serde, newShard, null);
    }

    /** The same stream, whose records get a partition key that decides the shard, as from a producer. */
    public TestInput<T> partitionedBy(Function<? super T, String> newPartitionKey) {
        return new TestInput<>(cloud, stream, serde, shard, newPartitionKey);
    }

    /** Sends values, in their order. */
    @SafeVarargs
    public final TestInput<T> send(T... values) {
        for (T value : values) {
            sendAll(List.of(value));
        }
        return this;
    }

    /** Sends values, in their order. */
    public TestInput<T> sendAll(Iterable<? extends T> values) {
        for (T value : values) {
            put(serde.serialize(value), partitionKey == null ? null : partitionKey.apply(value));
        }
        return this;
    }

    /** Sends a record of any bytes to the shard: what a producer gone wrong sends. */
    public TestInput<T> sendBytes(byte[] data) {
        put(data, null);
        return this;
    }

    /** Sends a record of any text to the shard. */
    public TestInput<T> sendText(String text) {
        return sendBytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private void put(byte[] data, @Nullable String key) {
        PutRecordRequest.Builder request =
                PutRecordRequest.builder().streamName(stream).data(SdkBytes.fromByteArray(data));
        if (key == null) {
            Shard target = cloud.shards(stream).get(shard);
            if (TestCloud.isClosed(target)) {
                throw new IllegalStateException(
                        "The shard " + shard + " of stream '" + stream
                                + "' was split or merged and takes no records any more. Name one of its children by onShard(n).");
            }
            request.partitionKey(PARTITION_KEY)
                    .explicitHashKey(target.hashKeyRange().startingHashKey());
        } else {
            request.partitionKey(key);
        }
        cloud.kinesis().putRecord(request.build());
    }
}
