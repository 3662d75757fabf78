package io.millrace.local;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One execution environment of a function: it runs one invocation at a time and is used again while warm. A handler
 * factory that hands it to {@link FaultInjector#decorate(software.amazon.awssdk.http.SdkHttpClient, Supplier)} makes the
 * environment's AWS requests die with the invocation that makes them. Thread-safe.
 */
public final class FunctionContainer implements Supplier<@Nullable InvocationScope> {
    private volatile @Nullable InvocationScope scope;

    FunctionContainer() {}

    /** The scope of the invocation that runs here, or ran last; null before the first one. */
    @Override
    public @Nullable InvocationScope get() {
        return scope;
    }

    void begin(InvocationScope invocationScope) {
        scope = invocationScope;
    }
}
