package io.millrace.local.testing;

import io.millrace.internal.plan.PipelinePlan;
import io.millrace.internal.plan.StagePlan;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.model.HashKeyRange;
import software.amazon.awssdk.services.kinesis.model.Shard;

/** The lanes of a driver: each shard of a stream as each stage reads it. Single-threaded. */
final class DriverLanes {
    private final PipelineTestDriver driver;
    private final TestCloud cloud;
    private final PipelinePlan plan;
    private final List<TestLane> lanes = new ArrayList<>();

    DriverLanes(PipelineTestDriver driver, TestCloud cloud, PipelinePlan plan) {
        this.driver = driver;
        this.cloud = cloud;
        this.plan = plan;
        plan.stages().forEach(this::addNew);
    }

    private void addNew(StagePlan stage) {
        String stream = stage.source().stream();
        List<Shard> shards = cloud.shards(stream);
        int known = (int)
                lanes.stream().filter(lane -> lane.stage().equals(stage.uid())).count();
        for (int shard = known; shard < shards.size(); shard++) {
            lanes.add(new TestLane(
                    driver, stage.uid(), stream, shard, shards.get(shard).shardId()));
        }
    }

    List<TestLane> all() {
        return lanes;
    }

    TestLane lane(String stage, int shard) {
        return lanes.stream()
                .filter(lane -> lane.stage().equals(stage) && lane.shard() == shard)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no shard " + shard + ": the stream '"
                        + plan.stage(stage).source().stream() + "' has "
                        + cloud.shards(plan.stage(stage).source().stream()).size()
                        + ", counted from 0. Build the driver with shards(n)."));
    }

    /** Delivers batches of the lanes in turns until all are done; a shard's parents come first, as on Lambda. */
    void run() {
        lanes.forEach(TestLane::refresh);
        for (boolean delivered = true; delivered; ) {
            delivered = false;
            for (TestLane lane : lanes) {
                if (lane.backlog() > 0 && parentsAreDone(lane)) {
                    lane.checkProgress(lane.deliver());
                    delivered = true;
                }
            }
        }
    }

    /** The first lane that has something to deliver; parents lie before their children. Null if there is none. */
    @Nullable
    TestLane firstWithBacklog() {
        return lanes.stream().filter(lane -> lane.backlog() > 0).findFirst().orElse(null);
    }

    private boolean parentsAreDone(TestLane lane) {
        Shard shard = cloud.shards(lane.stream()).get(lane.shard());
        return lanes.stream()
                .filter(other -> other.stage().equals(lane.stage())
                        && (other.shardId().equals(shard.parentShardId())
                                || other.shardId().equals(shard.adjacentParentShardId())))
                .allMatch(parent -> parent.backlog() == 0);
    }

    void split(String stream, int shard) {
        Shard parent = openShard(stream, shard);
        HashKeyRange range = parent.hashKeyRange();
        BigInteger middle = new BigInteger(range.startingHashKey())
                .add(new BigInteger(range.endingHashKey()))
                .shiftRight(1)
                .add(BigInteger.ONE);
        cloud.kinesis()
                .splitShard(request -> request.streamName(stream)
                        .shardToSplit(parent.shardId())
                        .newStartingHashKey(middle.toString()));
        resharded(stream);
    }

    void merge(String stream, int shard, int adjacentShard) {
        Shard one = openShard(stream, shard);
        Shard other = openShard(stream, adjacentShard);
        cloud.kinesis()
                .mergeShards(request ->
                        request.streamName(stream).shardToMerge(one.shardId()).adjacentShardToMerge(other.shardId()));
        resharded(stream);
    }

    private Shard openShard(String stream, int shard) {
        List<Shard> shards = cloud.shards(stream);
        if (shard < 0 || shard >= shards.size() || TestCloud.isClosed(shards.get(shard))) {
            throw new IllegalArgumentException("The stream '" + stream + "' has no open shard " + shard + "; of its "
                    + shards.size() + " shards, counted from 0, those that were split or merged are closed.");
        }
        return shards.get(shard);
    }

    private void resharded(String stream) {
        cloud.forgetShards(stream);
        plan.stages().stream()
                .filter(stage -> stage.source().stream().equals(stream))
                .forEach(this::addNew);
    }
}
