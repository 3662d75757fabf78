package io.millrace.internal.engine;

import org.jspecify.annotations.Nullable;

/** A record that cannot be processed: where it lies, how far it came, and why. */
public final class RecordFailure extends Exception {
    private static final long serialVersionUID = 1L;

    /** How far a record came. */
    public enum Kind {
        /** Its bytes cannot be decoded. */
        UNDECODABLE,
        /** A function before the state threw, so that its key is not known. */
        KEY_UNKNOWN,
        /** The stage's function, or one behind it, threw. */
        FUNCTION_THREW,
        /** A timer of its key, which was due before it, threw; the record is not to blame. */
        TIMER_THREW,
        /** DynamoDB can never take its effects. */
        UNACCEPTABLE,
        /** The process died or hung whenever it was tried alone. */
        PROCESS_KILLED
    }

    private final Kind kind;
    private final transient Position position;
    private final @Nullable String key;
    private final @Nullable TimerFailure timer;

    public RecordFailure(Kind kind, Position position, @Nullable String key, @Nullable Throwable cause) {
        this(kind, position, key, null, cause);
    }

    private RecordFailure(
            Kind kind,
            Position position,
            @Nullable String key,
            @Nullable TimerFailure timer,
            @Nullable Throwable cause) {
        super(kind + " at " + position + (cause == null ? "" : ": " + describe(cause)), cause);
        this.kind = kind;
        this.position = position;
        this.key = key;
        this.timer = timer;
    }

    /** The failure of a timer that was due before the record. */
    public static RecordFailure ofTimer(Position position, String key, TimerFailure timer) {
        return new RecordFailure(Kind.TIMER_THREW, position, key, timer, timer.getCause());
    }

    /** The timer that failed; null if the record itself did. */
    public @Nullable TimerFailure timer() {
        return timer;
    }

    /** The class and the message of what was thrown; user code may have made an exception whose message throws. */
    static String describe(Throwable cause) {
        try {
            return cause.toString();
        } catch (RuntimeException e) {
            return cause.getClass().getName();
        }
    }

    public Kind kind() {
        return kind;
    }

    public Position position() {
        return position;
    }

    /** The key whose part of the record failed; null if none was computed. */
    public @Nullable String key() {
        return key;
    }

    /** Whether another attempt must fail in the same way. */
    public boolean isPermanent() {
        return kind == Kind.UNACCEPTABLE;
    }

    /**
     * Lets pass what is not the record's fault: its state cannot be read, the JVM is out of memory or broken, or the invocation is interrupted.
     * A stack overflow is the record's.
     */
    static void throwIfNotOfRecord(Throwable thrown) {
        if (thrown instanceof VirtualMachineError error && !(thrown instanceof StackOverflowError)) {
            throw error;
        }
        if (thrown instanceof UnreadableStateException unreadable) {
            throw unreadable;
        }
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            throw new io.millrace.MillraceException(
                    "The invocation was interrupted while the stage's code ran.", thrown);
        }
    }
}
