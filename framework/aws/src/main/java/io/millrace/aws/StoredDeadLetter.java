package io.millrace.aws;

import io.millrace.MillraceException;
import io.millrace.aws.internal.DeadLetterRow;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter as it is stored, without its payload: a record, one key's part of it, or a timer that was given up.
 * Immutable.
 */
public final class StoredDeadLetter {
    /** What becomes of a dead letter. */
    public enum State {
        /** It waits to be redriven or dropped. */
        OPEN,
        /** Its record was redriven: it is absorbed. Deleted some time after the stream's retention. */
        DONE,
        /** It was dropped: nobody will redrive it. Deleted some time after the stream's retention. */
        DROPPED;

        /** The state that is stored as this status. */
        public static State ofStatus(String status) {
            return Arrays.stream(values())
                    .filter(state -> state.status().equals(status))
                    .findFirst()
                    .orElseThrow(() -> new MillraceException("A dead letter has the status '" + status
                            + "', which is none of open, done and dropped. Was it written by a newer version?"));
        }

        /** The status that it is stored as. */
        public String status() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** How far its record came. */
    public enum Kind {
        /** Its bytes could not be decoded. */
        UNDECODABLE,
        /** A function before the state threw, so that its key is not known. */
        KEY_UNKNOWN,
        /** The stage's function, or one behind it, threw. */
        FUNCTION_THREW,
        /** The stage's function threw at a timer, the process died in it, or DynamoDB can never take its effects. */
        TIMER_THREW,
        /** DynamoDB can never take its effects. */
        UNACCEPTABLE,
        /** The process died or hung whenever it was tried alone. */
        PROCESS_KILLED,
        /** A range of records that were never delivered. */
        GAP
    }

    private final DeadLetterRow row;

    StoredDeadLetter(DeadLetterRow row) {
        this.row = row;
    }

    /** What names it, as {@link DeadLetters} takes it: {@code STAGE/STREAM/SHARD/POSITION/PART}. */
    public String id() {
        return row.id().toString();
    }

    public State state() {
        return State.ofStatus(row.status());
    }

    /** How far its record came when it was given up. */
    public Kind kind() {
        String kind = row.kind();
        return Arrays.stream(Kind.values())
                .filter(known -> known.name().equals(kind))
                .findFirst()
                .orElseThrow(() -> new MillraceException("The dead letter " + id() + " is of the kind '" + kind
                        + "', which this version does not know. Use the version that wrote it."));
    }

    /** The uid of its stage. */
    public String stage() {
        return row.id().stage();
    }

    /** The stream and the shard that it came from; {@code timers} stands for the shard of a timer. */
    public String lane() {
        return row.id().lane();
    }

    /**
     * Its sequence number; of a gap, that of the first record behind it; of a timer, its time in milliseconds since the epoch,
     * 0 if that is before it.
     */
    public String position() {
        return row.id().position().toString();
    }

    /** The key whose part of the record it is, as the key codec writes it; null if all of the record is one. */
    public @Nullable String key() {
        return row.key();
    }

    /** The class and message of what was thrown at the last attempt. */
    public String error() {
        return row.error();
    }

    /** How often it was tried, redrives included; 0 for a gap. */
    public int attempts() {
        return row.attempts();
    }

    /** When the record arrived in its stream, by Kinesis's clock; of a timer, when it was given up; null for a gap. */
    public @Nullable Instant arrival() {
        return row.arrival();
    }

    /** When it was given up. */
    public Instant time() {
        return row.time();
    }

    /** When a redrive last failed at it; null if none did. */
    public @Nullable Instant lastTried() {
        return row.lastTried();
    }

    /** When it was redriven or dropped; null while it is open. */
    public @Nullable Instant closed() {
        return row.closed();
    }

    /** Of a gap, the last record before it, or {@code beginning}; null for any other. */
    public @Nullable String gapAfter() {
        return row.after();
    }

    @Override
    public String toString() {
        return state() + " " + kind() + " " + id();
    }
}
