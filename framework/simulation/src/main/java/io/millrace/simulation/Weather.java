package io.millrace.simulation;

import io.millrace.local.Fault;
import io.millrace.local.FaultInjector;
import java.time.Duration;
import java.util.function.Consumer;

/** How AWS and the network behave in a simulation. */
enum Weather {
    /** Each request is answered. */
    CALM,
    /** Each fault now and then. */
    FAULTY,
    /** So many faults that the SDK's own retries often give up. */
    STORMY,
    /** Requests that take long, so that invocations come to the end of their time. */
    SLOW;

    private static final Duration LATENCY_MAX = Duration.ofMillis(400);
    private static final Duration SLOW_LATENCY_MAX = Duration.ofMillis(1_500);

    /** Whether an invocation may fail because AWS goes on refusing or losing what it asks. */
    boolean mayFailInvocations() {
        return this == FAULTY || this == STORMY;
    }

    FaultInjector injector(long seed, Consumer<Duration> sleep) {
        FaultInjector.Builder builder = FaultInjector.builder(seed).latencyHook(sleep);
        switch (this) {
            case CALM -> builder.none();
            case FAULTY -> builder.latency(0.05, LATENCY_MAX);
            case STORMY ->
                builder.probability(Fault.LOST_RESPONSE, 0.15)
                        .probability(Fault.LOST_REQUEST, 0.10)
                        .probability(Fault.INTERNAL_SERVER_ERROR, 0.10)
                        .probability(Fault.THROTTLE, 0.10);
            case SLOW -> builder.none().latency(0.25, SLOW_LATENCY_MAX);
        }
        return builder.build();
    }
}
