package io.millrace.simulation;

import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.SequenceNumber;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.model.Record;

/** A record as it was sent, and what has become of it so far. */
final class SentRecord {
    private final SentLane lane;
    private final int index;
    private final Position position;
    private final @Nullable Posting posting;
    private final List<String> parts;
    private final Record record;
    private final Map<String, @Nullable Invocation> absorbedBy = new TreeMap<>();
    private final Set<String> deadAt = new TreeSet<>();
    private final Set<String> redrivenAt = new TreeSet<>();
    private final Set<String> forgottenAt = new TreeSet<>();
    private boolean deadWithoutKey;
    private @Nullable Invocation lastBegunBy;
    private int givingUps;
    private boolean inGap;

    /**
     * A record; one without a posting cannot be decoded.
     *
     * @param parts what becomes of it: the accounts that it changes in the ledger, the rows in the journal
     * @param subSequence its index in the aggregate that {@code record} is
     */
    SentRecord(
            SentLane lane, int index, @Nullable Posting posting, List<String> parts, Record record, int subSequence) {
        this.lane = lane;
        this.index = index;
        this.position = new Position(new SequenceNumber(record.sequenceNumber()), subSequence);
        this.posting = posting;
        this.parts = List.copyOf(parts);
        this.record = record;
    }

    SentLane lane() {
        return lane;
    }

    int index() {
        return index;
    }

    Position position() {
        return position;
    }

    @Nullable
    Posting posting() {
        return posting;
    }

    /** What carries it in the stream, alone or with others. */
    Record record() {
        return record;
    }

    /** A short name; an undecodable record has none of its own. */
    String name() {
        return posting == null ? "undecodable" + index : posting.id();
    }

    /** The accounts that it changes, or the rows where there are no cells. */
    List<String> parts() {
        return parts;
    }

    boolean isAbsorbedBy(String account) {
        return absorbedBy.containsKey(account);
    }

    void absorbedBy(String account, @Nullable Invocation writer) {
        absorbedBy.put(account, writer);
    }

    /** Whether a part of it is committed by an invocation that ran it alone. */
    boolean isAbsorbedAlone() {
        return absorbedBy.values().stream().anyMatch(writer -> writer != null && writer.ranAlone(position));
    }

    void deadAt(String account) {
        deadAt.add(account);
    }

    boolean isDeadAt(String account) {
        return deadAt.contains(account);
    }

    /** A part of it that was a dead letter is absorbed after all. */
    void redrivenAt(String account) {
        deadAt.remove(account);
        redrivenAt.add(account);
        absorbedBy.put(account, null);
    }

    boolean isRedrivenAt(String account) {
        return redrivenAt.contains(account);
    }

    /** All parts of it that have no dead letters of their own are absorbed after all. */
    void redrivenWithoutKey() {
        deadWithoutKey = false;
    }

    /** What it has done to the accounts so far is expired. */
    void forget() {
        forgottenAt.addAll(absorbedBy.keySet());
    }

    boolean isForgottenAt(String account) {
        return forgottenAt.contains(account);
    }

    boolean isDeadWithoutKey() {
        return deadWithoutKey;
    }

    void deadWithoutKey() {
        deadWithoutKey = true;
    }

    /**
     * An invocation counts an attempt of it alone. One that does so twice in a row counts one attempt twice, which it must
     * not; if another has counted one in between, it cannot know that its own write was applied.
     */
    void begunAloneBy(Invocation invocation) {
        if (lastBegunBy != invocation) {
            invocation.beganAlone(position);
        }
        lastBegunBy = invocation;
    }

    /** The process is about to give it up, for the n-th time without an end. */
    void givingUp(int times) {
        givingUps = Math.max(givingUps, times);
    }

    /** How often the process has begun to give it up without coming to an end. */
    int givingUps() {
        return givingUps;
    }

    boolean isDeadAnywhere() {
        return !deadAt.isEmpty();
    }

    boolean isInGap() {
        return inGap;
    }

    void inGap() {
        inGap = true;
    }

    /** Whether it is known of all of it what became of it. */
    boolean isAccountedFor() {
        if (deadWithoutKey || inGap) {
            return true;
        }
        return posting != null
                && parts.stream().allMatch(part -> absorbedBy.containsKey(part) || deadAt.contains(part));
    }

    @Override
    public String toString() {
        return name() + " (record " + index + " of " + lane + ")";
    }
}
