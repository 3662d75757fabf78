package io.millrace.aws;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;

/**
 * Code that runs on a thread of its own, but only when it is its turn: at each of its AWS requests it can be made to wait
 * there, or to die. One runs at a time, so that an interleaving is decided by the test alone.
 */
final class Fiber<T> {
    private static final ThreadLocal<@Nullable Fiber<?>> CURRENT = new ThreadLocal<>();

    /** The simulated end of a process at one of its requests. */
    static final class Died extends Error {
        private static final long serialVersionUID = 1L;

        Died() {
            super("died at a request");
        }
    }

    private final Semaphore turn = new Semaphore(0);
    private final Semaphore back = new Semaphore(0);
    private int requestsLeft;
    private boolean dead;
    private boolean finished;
    private @Nullable T result;
    private @Nullable Throwable thrown;

    Fiber(Callable<T> code) {
        Thread thread = new Thread(() -> live(code), "fiber");
        thread.setDaemon(true);
        thread.start();
    }

    private void live(Callable<T> code) {
        turn.acquireUninterruptibly();
        CURRENT.set(this);
        try {
            result = code.call();
        } catch (Throwable e) {
            thrown = e;
        } finally {
            finished = true;
            back.release();
        }
    }

    /** The client with requests at which a fiber can be made to wait or die; threads that are no fiber pass. */
    static SdkHttpClient admitting(SdkHttpClient client) {
        return new SdkHttpClient() {
            @Override
            public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
                ExecutableHttpRequest prepared = client.prepareRequest(request);
                return new ExecutableHttpRequest() {
                    @Override
                    public HttpExecuteResponse call() throws IOException {
                        Fiber<?> current = CURRENT.get();
                        if (current != null) {
                            current.admit();
                        }
                        return prepared.call();
                    }

                    @Override
                    public void abort() {
                        prepared.abort();
                    }
                };
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    private void admit() {
        if (!dead && requestsLeft == 0) {
            back.release();
            turn.acquireUninterruptibly();
        }
        if (dead) {
            throw new Died();
        }
        requestsLeft--;
    }

    /** Lets it make so many requests more, and tells whether it has ended. */
    boolean run(int requests) {
        if (!finished) {
            requestsLeft = requests;
            turn.release();
            back.acquireUninterruptibly();
        }
        return finished;
    }

    /** Lets it die at the request at which it waits. */
    void kill() {
        dead = true;
        run(0);
    }

    /** What it returned; null if it threw. */
    @Nullable
    T result() {
        return result;
    }

    @Nullable
    Throwable thrown() {
        return thrown;
    }
}
