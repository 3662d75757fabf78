package io.millrace.local.testing;

import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One instance of a function of a stage, which stays warm until it crashes or is dropped. Single-threaded. */
final class WarmInstance<F> {
    private final TestCloud cloud;
    private final Supplier<F> coldStart;
    private @Nullable F instance;

    /** @param coldStart makes a new instance */
    WarmInstance(TestCloud cloud, Supplier<F> coldStart) {
        this.cloud = cloud;
        this.coldStart = coldStart;
    }

    /** The warm instance; makes one if there is none. */
    F get() {
        F warm = instance;
        if (warm == null) {
            warm = coldStart.get();
            instance = warm;
        }
        return warm;
    }

    /** Drops the instance: the next invocation is a cold start. */
    void drop() {
        instance = null;
    }

    /**
     * What an invocation came to. One that crashed has neither a result nor an error.
     *
     * @param operations its requests
     */
    record Outcome<R>(@Nullable R result, @Nullable Throwable error, boolean crashed, List<String> operations) {}

    /** Invokes the function under a plan. */
    <R> Outcome<R> invoke(InvocationPlan plan, Function<F, @Nullable R> invocation) {
        F warm = get();
        cloud.conflicts().begin(plan.conflicts());
        cloud.tap().begin(plan.crashPoint());
        R result = null;
        Throwable error = null;
        try {
            result = invocation.apply(warm);
        } catch (RuntimeException e) {
            // As in Lambda, an exception does not end the process.
            error = e;
        } catch (Error e) {
            error = e;
            instance = null;
        } finally {
            cloud.tap().end();
            cloud.conflicts().begin(false);
        }
        boolean crashed = cloud.tap().hasCrashed();
        if (crashed) {
            instance = plan.staysWarm() ? warm : null;
        }
        return new Outcome<>(
                crashed ? null : result,
                crashed ? null : error,
                crashed,
                cloud.tap().operations());
    }
}
