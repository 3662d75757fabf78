package io.millrace.internal.engine;

/** A timer at which the stage's function threw, or whose effects DynamoDB can never take. */
public final class TimerFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient Timer timer;

    public TimerFailure(Timer timer, Throwable cause) {
        super("The timer " + timer + " failed: " + RecordFailure.describe(cause), cause);
        this.timer = timer;
    }

    /** The timer. */
    public Timer timer() {
        return timer;
    }

    /** Whether another attempt must fail in the same way. */
    public boolean isPermanent() {
        return getCause() instanceof io.millrace.internal.item.UnacceptableException;
    }
}
