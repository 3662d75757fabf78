package io.millrace.local.internal.kinesis;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.AwsService;
import java.time.Clock;
import java.util.OptionalLong;

/**
 * Kinesis Data Streams, in memory. A stream is {@code ACTIVE} at once, after changes of its shards too. Arrival times,
 * retention, iterators and paging tokens follow the clock; nothing is random. Thread-safe.
 */
public final class KinesisService implements AwsService {
    private final StreamOperations streamOperations;
    private final ShardOperations shardOperations;
    private final WriteOperations writeOperations;
    private final ReadOperations readOperations;

    /**
     * @param throughputLimited whether a shard refuses more than 1,000 records or 1 MiB written, or 5 reads, in a second
     * @param shortNumbersSeed what short sequence numbers are drawn from; empty for numbers as AWS gives them
     */
    public KinesisService(
            Clock clock, String region, String account, boolean throughputLimited, OptionalLong shortNumbersSeed) {
        ShardNumbers.Scheme numbers =
                shortNumbersSeed.isPresent() ? ShortNumbers.scheme(shortNumbersSeed.getAsLong()) : AwsNumbers.SCHEME;
        StreamRules rules = new StreamRules(new KinesisErrors(account), throughputLimited, numbers);
        Streams streams = new Streams(region, account, rules);
        this.streamOperations = new StreamOperations(streams, clock);
        this.shardOperations = new ShardOperations(streams, clock);
        this.writeOperations = new WriteOperations(streams, clock);
        this.readOperations = new ReadOperations(streams, clock);
    }

    @Override
    public ObjectNode call(String operation, ObjectNode request) {
        RequestMembers members = new RequestMembers(request, "");
        ObjectNode response = JsonNodeFactory.instance.objectNode();
        switch (operation) {
            case "CreateStream" -> streamOperations.create(members);
            case "DeleteStream" -> streamOperations.delete(members);
            case "ListStreams" -> streamOperations.list(members, response);
            case "DescribeStream" -> streamOperations.describe(members, response);
            case "DescribeStreamSummary" -> streamOperations.describeSummary(members, response);
            case "IncreaseStreamRetentionPeriod" -> streamOperations.increaseRetention(members);
            case "DecreaseStreamRetentionPeriod" -> streamOperations.decreaseRetention(members);
            case "ListShards" -> shardOperations.list(members, response);
            case "SplitShard" -> shardOperations.split(members);
            case "MergeShards" -> shardOperations.merge(members);
            case "PutRecord" -> writeOperations.putRecord(members, response);
            case "PutRecords" -> writeOperations.putRecords(members, response);
            case "GetShardIterator" -> readOperations.getShardIterator(members, response);
            case "GetRecords" -> readOperations.getRecords(members, response);
            default -> throw KinesisErrors.unknownOperation(operation);
        }
        return response;
    }
}
