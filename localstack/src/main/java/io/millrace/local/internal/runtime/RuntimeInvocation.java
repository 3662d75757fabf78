package io.millrace.local.internal.runtime;

import java.time.Instant;
import java.util.concurrent.CompletableFuture;

/** One invocation as the runtime API hands it out: the event, what belongs to it, and the answer to come. Thread-safe. */
public final class RuntimeInvocation {
    private final String requestId;
    private final byte[] event;
    private final Instant deadline;
    private final CompletableFuture<Void> delivered = new CompletableFuture<>();
    private final CompletableFuture<RuntimeAnswer> answer = new CompletableFuture<>();

    /**
     * An invocation that nobody has asked for yet.
     *
     * @param event JSON; not copied
     */
    public RuntimeInvocation(String requestId, byte[] event, Instant deadline) {
        this.requestId = requestId;
        this.event = event;
        this.deadline = deadline;
    }

    /** Completed when the process has asked for the event and is being sent it. */
    public CompletableFuture<Void> delivered() {
        return delivered;
    }

    /** Completed by the process's answer or its end; never exceptionally. */
    public CompletableFuture<RuntimeAnswer> answer() {
        return answer;
    }

    String requestId() {
        return requestId;
    }

    byte[] event() {
        return event;
    }

    Instant deadline() {
        return deadline;
    }
}
