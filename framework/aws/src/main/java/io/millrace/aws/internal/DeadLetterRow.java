package io.millrace.aws.internal;

import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.RecordFailure;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A dead letter as it is stored. Immutable. */
public final class DeadLetterRow {
    /** The kind of a range of records that were never delivered. */
    public static final String GAP = "GAP";

    private final DeadLetterId id;
    private final long generation;
    private final Map<String, AttributeValue> item;

    DeadLetterRow(Map<String, AttributeValue> item) {
        this.id = DeadLetterId.ofItem(item);
        this.generation = Long.parseLong(Items.required(item, "generation").n());
        this.item = item;
    }

    public DeadLetterId id() {
        return id;
    }

    long generation() {
        return generation;
    }

    public String kind() {
        return Items.required(item, "kind").s();
    }

    /** {@code open}, {@code done} or {@code dropped}. */
    public String status() {
        return Items.required(item, "status").s();
    }

    boolean isOpen() {
        return status().equals(DeadLetterRows.OPEN);
    }

    boolean isGap() {
        return kind().equals(GAP);
    }

    /** Whether it is a timer, whose payload is the timer as text. */
    boolean isTimer() {
        return kind().equals(RecordFailure.Kind.TIMER_THREW.name());
    }

    /** Whether the process died with the whole record, so that nobody knows which of its parts are committed. */
    boolean isPerhapsPartlyAbsorbed() {
        return kind().equals(RecordFailure.Kind.PROCESS_KILLED.name()) && key() == null;
    }

    public @Nullable String key() {
        return text("key");
    }

    public String error() {
        return Items.required(item, "error").s();
    }

    /** How often it was tried; 0 for a gap. */
    public int attempts() {
        AttributeValue attempts = item.get("attempts");
        return attempts == null ? 0 : Integer.parseInt(attempts.n());
    }

    /** When the record arrived in its stream; null for a gap. */
    public @Nullable Instant arrival() {
        return instant("arrival");
    }

    /** The record, with the payload that lies in the row or in its parts. */
    InputRecord input(byte[] payload) {
        String defect = text("aggregate_defect");
        InputRecord.Packing packing =
                defect == null ? new InputRecord.UserRecord() : new InputRecord.BrokenAggregate(defect);
        Instant arrival = Objects.requireNonNullElse(arrival(), Instant.EPOCH);
        return new InputRecord(id.position(), payload, arrival, text("partition_key"), packing);
    }

    /** When it was given up. */
    public Instant time() {
        return Instant.parse(Items.required(item, "time").s());
    }

    /** When it was last redriven without success; null if it never was. */
    public @Nullable Instant lastTried() {
        return instant("tried");
    }

    /** When it was redriven or dropped; null while it is open. */
    public @Nullable Instant closed() {
        return instant("closed");
    }

    /** Of a gap, the last record before it. */
    public @Nullable String after() {
        return text("after");
    }

    /** How many items beside it hold its payload; 0 if it holds it itself. */
    int payloadParts() {
        AttributeValue parts = item.get("payload_parts");
        return parts == null ? 0 : Integer.parseInt(parts.n());
    }

    @Nullable
    AttributeValue payload() {
        return item.get("payload");
    }

    /** Whether the write with this nonce was its last one. */
    boolean isWrittenBy(String nonce) {
        return isWrittenBy(item, nonce);
    }

    static boolean isWrittenBy(Map<String, AttributeValue> item, String nonce) {
        AttributeValue writer = item.get(DeadLetterRows.WRITER);
        return writer != null && nonce.equals(writer.s());
    }

    /** When a closed one is deleted; null while it is open. */
    @Nullable
    Instant expiry() {
        AttributeValue expiry = item.get(DeadLetterRows.TIME_TO_LIVE);
        return expiry == null ? null : Instant.ofEpochSecond(Long.parseLong(expiry.n()));
    }

    private @Nullable Instant instant(String name) {
        String text = text(name);
        return text == null ? null : Instant.parse(text);
    }

    private @Nullable String text(String name) {
        AttributeValue value = item.get(name);
        return value == null ? null : value.s();
    }
}
