package io.millrace.local;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The life of one invocation as its AWS requests see it: from the k-th request on it can be dead, and then nothing of
 * it reaches AWS any more, whatever its code does. Requests are attributed by the function's container (see
 * {@link FunctionContainer}), not by thread, so that a function may use threads of its own. Thread-safe.
 */
public final class InvocationScope {
    private final AtomicInteger requests = new AtomicInteger();
    private volatile int abortFromRequest = Integer.MAX_VALUE;
    private volatile boolean aborted;

    /**
     * Lets every request from the k-th on (1 is the first) fail with {@link InvocationAbortedError}.
     *
     * @throws IllegalArgumentException if {@code request} is below 1
     */
    public void abortFrom(int request) {
        if (request < 1) {
            throw new IllegalArgumentException("abortFrom(" + request + "): requests are counted from 1");
        }
        abortFromRequest = request;
    }

    /** Lets every further request fail. */
    public void abortNow() {
        abortFromRequest = 1;
    }

    /** Tells whether a request was refused because the invocation is dead. */
    public boolean aborted() {
        return aborted;
    }

    /** The number of requests made, the refused ones included. */
    public int requests() {
        return requests.get();
    }

    /** Counts a request; throws if the invocation is dead by then. */
    void admitRequest() {
        int number = requests.incrementAndGet();
        if (number >= abortFromRequest) {
            aborted = true;
            throw new InvocationAbortedError(number);
        }
    }
}
