package io.millrace.internal.engine;

import io.millrace.state.StateDescriptor;
import io.millrace.state.StateTtlConfig;
import org.jspecify.annotations.Nullable;

/**
 * How long the values of a state live. Immutable.
 *
 * @param renewedByReading whether a read counts as a write
 * @param expiredAreShown whether expired values are seen until their cell is written
 */
record TimeToLive(long millis, boolean renewedByReading, boolean expiredAreShown) {

    /** As a descriptor says; null if the state never expires. */
    static @Nullable TimeToLive of(StateDescriptor descriptor) {
        return descriptor
                .timeToLive()
                .map(config -> new TimeToLive(
                        config.getTimeToLive().toMillis(),
                        config.getUpdateType() == StateTtlConfig.UpdateType.OnReadAndWrite,
                        config.getStateVisibility() == StateTtlConfig.StateVisibility.ReturnExpiredIfNotCleanedUp))
                .orElse(null);
    }

    /** Whether a value is expired; one from the future, as of a clock that went back, is not. */
    boolean isExpired(long timeMillis, long nowMillis) {
        return nowMillis - timeMillis >= millis;
    }
}
