package io.millrace.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.ListShardsRequest;
import software.amazon.awssdk.services.kinesis.model.ListShardsResponse;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/** Reads all that a stream holds, from the oldest record of each shard to its tip. */
final class StreamReader {
    private static final int READ_RECORDS_MAX = 10_000;

    /** A read can be empty short of the tip, but not for ever. */
    private static final int EMPTY_READS_MAX = 1_000;

    private final KinesisClient kinesis;
    private final String stream;

    StreamReader(KinesisClient kinesis, String stream) {
        this.kinesis = kinesis;
        this.stream = stream;
    }

    /** Hands out the data of each record and returns how many there were. */
    long read(Consumer<byte[]> records) {
        long count = 0;
        for (String shardId : shardIds()) {
            count += readShard(shardId, records);
        }
        return count;
    }

    /** The shards, closed ones included. */
    List<String> shardIds() {
        List<String> ids = new ArrayList<>();
        ListShardsRequest request =
                ListShardsRequest.builder().streamName(stream).build();
        while (true) {
            ListShardsResponse page = kinesis.listShards(request);
            page.shards().forEach(shard -> ids.add(shard.shardId()));
            if (page.nextToken() == null) {
                break;
            }
            request = ListShardsRequest.builder().nextToken(page.nextToken()).build();
        }
        return ids;
    }

    private long readShard(String shardId, Consumer<byte[]> records) {
        @Nullable
        String iterator = kinesis.getShardIterator(request ->
                        request.streamName(stream).shardId(shardId).shardIteratorType(ShardIteratorType.TRIM_HORIZON))
                .shardIterator();
        long count = 0;
        int emptyReads = 0;
        while (iterator != null) {
            String at = iterator;
            GetRecordsResponse response =
                    kinesis.getRecords(request -> request.shardIterator(at).limit(READ_RECORDS_MAX));
            response.records().forEach(record -> records.accept(record.data().asByteArrayUnsafe()));
            count += response.records().size();
            emptyReads = response.records().isEmpty() ? emptyReads + 1 : 0;
            Long behindMillis = response.millisBehindLatest();
            boolean atTip = behindMillis == null ? emptyReads > 0 : behindMillis == 0;
            if (atTip) {
                break;
            }
            if (emptyReads > EMPTY_READS_MAX) {
                throw CommandFailure.failed(
                        "Shard " + shardId + " of '" + stream + "' gave " + EMPTY_READS_MAX
                                + " empty reads and is still " + behindMillis + " ms behind its tip.",
                        null);
            }
            iterator = response.nextShardIterator();
        }
        return count;
    }
}
