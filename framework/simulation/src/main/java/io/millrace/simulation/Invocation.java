package io.millrace.simulation;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse.BatchItemFailure;
import io.millrace.internal.engine.Position;
import io.millrace.local.internal.mapping.Batch;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One invocation of a function: which records it was given, and how it stands. */
final class Invocation {
    private final int number;
    private final SimulatedProcess process;
    private final List<SentRecord> records;
    private final Instant deadline;
    private final boolean ancestorsDoneAtStart;
    private final int committedAtStart;
    private final List<Position> begunAlone = new ArrayList<>();
    private @Nullable Batch batch;
    private @Nullable SimulatedMapping mapping;
    private @Nullable StreamsEventResponse response;
    private @Nullable Throwable thrown;
    private boolean leftOpen;

    /** @param ancestorsDoneAtStart whether all records of the lanes that its lane came of are committed */
    Invocation(
            int number,
            SimulatedProcess process,
            List<SentRecord> records,
            Instant deadline,
            boolean ancestorsDoneAtStart) {
        this.number = number;
        this.process = process;
        this.records = List.copyOf(records);
        this.deadline = deadline;
        this.ancestorsDoneAtStart = ancestorsDoneAtStart;
        this.committedAtStart = lane().committed();
    }

    /** An event source mapping waits for its answer. */
    void answers(SimulatedMapping newMapping, Batch newBatch) {
        mapping = newMapping;
        batch = newBatch;
    }

    /** Nobody waits for its answer any more. */
    void abandon() {
        mapping = null;
        batch = null;
    }

    @Nullable
    SimulatedMapping mapping() {
        return mapping;
    }

    @Nullable
    Batch batch() {
        return batch;
    }

    SimulatedProcess process() {
        return process;
    }

    List<SentRecord> records() {
        return records;
    }

    SentLane lane() {
        return records.get(0).lane();
    }

    Instant deadline() {
        return deadline;
    }

    /** How many of the lane's records were committed when it began. */
    int committedAtStart() {
        return committedAtStart;
    }

    /** Whether all records of the lanes that its lane came of were committed when it began. */
    boolean ancestorsDoneAtStart() {
        return ancestorsDoneAtStart;
    }

    void returned(StreamsEventResponse newResponse) {
        response = newResponse;
    }

    void threw(Throwable newThrown) {
        thrown = newThrown;
    }

    @Nullable
    StreamsEventResponse response() {
        return response;
    }

    @Nullable
    Throwable thrown() {
        return thrown;
    }

    void beganAlone(Position position) {
        begunAlone.add(position);
    }

    /** Whether it has run a record alone. */
    boolean ranAlone(Position position) {
        return begunAlone.contains(position);
    }

    /** Its process dies. */
    void dies() {
        leftOpen = true;
    }

    /** Another invocation of its lane begins while it runs: for that one it is as good as dead. */
    void overtaken() {
        leftOpen |= response == null && thrown == null;
    }

    /** How many attempts of a record it has counted, in which others can take it for dead. */
    int leftOpen(Position position) {
        boolean runs = response == null && thrown == null;
        return leftOpen || runs ? Collections.frequency(begunAlone, position) : 0;
    }

    /** How it ended, in words. */
    String outcome() {
        if (response == null) {
            return " throws " + thrown;
        }
        List<BatchItemFailure> failures = response.getBatchItemFailures();
        return failures.isEmpty()
                ? " has done all"
                : " has done all before "
                        + lane().describe(Position.of(failures.get(0).getItemIdentifier()));
    }

    @Override
    public String toString() {
        String last = records.get(records.size() - 1).name();
        return "invocation " + number + " (" + process + ", " + lane() + " "
                + records.get(0).name() + " to " + last + ")";
    }
}
