package io.millrace.local.testing;

import io.millrace.ErrorPolicy;
import io.millrace.internal.plan.StagePlan;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.GetShardIteratorRequest;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/**
 * One shard as one stage reads it, of which a test decides what is delivered when. Records are counted from 0 in the
 * order in which they were sent. What is delivered and not done is delivered again, as Lambda does.
 */
public final class TestLane {
    /** Deliveries beside the attempts of the error policies in which a record must be got past. */
    private static final int FRUITLESS_DELIVERIES_MAX = 5;

    private final PipelineTestDriver driver;
    private final String stage;
    private final String stream;
    private final int shard;
    private final String shardId;
    private final List<Record> records = new ArrayList<>();
    private int next;
    private int fruitless;
    private @Nullable Delivery last;

    TestLane(PipelineTestDriver driver, String stage, String stream, int shard, String shardId) {
        this.driver = driver;
        this.stage = stage;
        this.stream = stream;
        this.shard = shard;
        this.shardId = shardId;
    }

    /** The stage's uid. */
    public String stage() {
        return stage;
    }

    /** The stream's name. */
    public String stream() {
        return stream;
    }

    /** The shard, from 0. */
    public int shard() {
        return shard;
    }

    /** The shard's id. */
    public String shardId() {
        return shardId;
    }

    /** How many records were sent to the shard. */
    public int size() {
        refresh();
        return records.size();
    }

    /** How many records are not done yet. */
    public int backlog() {
        return size() - next;
    }

    /** The sequence number of a record. */
    public String sequenceNumber(int index) {
        return records.get(index).sequenceNumber();
    }

    /**
     * Delivers the next batch, of at most the driver's batch size.
     *
     * @throws IllegalStateException if all records are done
     */
    public Delivery deliver() {
        return deliver(driver.batchSize());
    }

    /**
     * Delivers the next batch, of at most so many records.
     *
     * @throws IllegalStateException if all records are done, or a crash that was asked for did not happen
     */
    public Delivery deliver(int recordsMax) {
        if (recordsMax < 1) {
            throw new IllegalArgumentException(
                    "deliver(" + recordsMax + "): Lambda delivers at least one record. Ask for 1 or more.");
        }
        if (backlog() == 0) {
            throw new IllegalStateException("Nothing is left to deliver on " + this + ": all its " + records.size()
                    + " records are done. Send some, or use redeliver().");
        }
        return invoke(next, Math.min(records.size(), next + recordsMax));
    }

    /**
     * Delivers the last batch once more, as Lambda does after a time-out or a lost answer.
     *
     * @throws IllegalStateException if none was delivered
     */
    public Delivery redeliver() {
        if (last == null) {
            throw new IllegalStateException("Nothing was delivered on " + this + " yet. Deliver first.");
        }
        return invoke(last.from(), last.to());
    }

    /**
     * Delivers any records, whether they were delivered before or not.
     *
     * @param from the index of the first one
     * @param to the index behind the last one
     * @throws IndexOutOfBoundsException if the shard has no such records
     */
    public Delivery redeliver(int from, int to) {
        if (from < 0 || from >= to || to > size()) {
            throw new IndexOutOfBoundsException("redeliver(" + from + ", " + to + "): " + this + " has "
                    + records.size() + " records, so 0 <= from < to <= " + records.size() + " is needed.");
        }
        return invoke(from, to);
    }

    private Delivery invoke(int from, int to) {
        InvocationPlan plan = driver.takePlan();
        Delivery delivery = invoke(from, to, plan);
        plan.checkCrashed(delivery.crashed(), delivery.requests());
        return delivery;
    }

    Delivery invoke(int from, int to, InvocationPlan plan) {
        Delivery delivery = driver.function(stage).invoke(this, from, to, records.subList(from, to), plan);
        last = delivery;
        int before = next;
        // Records that were jumped over stay undone: a batch behind a gap is refused by the function itself.
        next = from <= next ? Math.max(next, delivery.next()) : next;
        fruitless = next > before || delivery.isDone() ? 0 : fruitless + 1;
        driver.note(delivery);
        return delivery;
    }

    /**
     * Notices a record that is never got past, before it is delivered for ever.
     *
     * @throws AssertionError if it is
     */
    void checkProgress(Delivery delivery) {
        StagePlan plan = driver.function(stage).plan();
        int attempts =
                Math.max(attempts(plan.errorPolicy()), attempts(plan.source().undecodablePolicy()));
        if (fruitless >= attempts + FRUITLESS_DELIVERIES_MAX) {
            Throwable cause = delivery.error() == null ? delivery.failure() : delivery.error();
            throw new AssertionError(
                    this + " does not get past record " + next + ", which was delivered " + fruitless
                            + " times in a row. The last time: " + cause + ". The error policy of the stage is '"
                            + plan.errorPolicy()
                            + "'. If it shall fail, use deliver() instead of run() and look at the delivery.",
                    cause);
        }
    }

    private static int attempts(ErrorPolicy policy) {
        int attempts = 1;
        while (policy.deadLetters() && !policy.exhausted(attempts)) {
            attempts++;
        }
        return attempts;
    }

    /** Reads what was sent since the last time. */
    void refresh() {
        GetShardIteratorRequest.Builder request =
                GetShardIteratorRequest.builder().streamName(stream).shardId(shardId);
        if (records.isEmpty()) {
            request.shardIteratorType(ShardIteratorType.TRIM_HORIZON);
        } else {
            request.shardIteratorType(ShardIteratorType.AFTER_SEQUENCE_NUMBER)
                    .startingSequenceNumber(records.get(records.size() - 1).sequenceNumber());
        }
        String iterator = driver.kinesis().getShardIterator(request.build()).shardIterator();
        while (iterator != null) {
            String at = iterator;
            GetRecordsResponse response = driver.kinesis().getRecords(get -> get.shardIterator(at));
            records.addAll(response.records());
            iterator = response.records().isEmpty() ? null : response.nextShardIterator();
        }
    }

    @Override
    public String toString() {
        return "stage '" + stage + "' on shard " + shard + " of stream '" + stream + "'";
    }
}
