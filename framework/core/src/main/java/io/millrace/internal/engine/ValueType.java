package io.millrace.internal.engine;

import io.millrace.serde.Serde;
import org.jspecify.annotations.Nullable;

/**
 * What the values of a state are: how they are stored, and how long they live.
 *
 * @param state the state's name
 * @param timeToLive null if they never expire
 */
record ValueType<T>(String state, Serde<T> serde, @Nullable TimeToLive timeToLive) {

    T decode(StoredState.Value stored) {
        return StateDecoding.decode(state, serde, stored);
    }

    StoredState.Value encode(T value, long timeMillis) {
        return new StoredState.Value(serde.serialize(value), serde.isText(), timeMillis);
    }

    /** The time that a value written now gets. */
    long timeOfWrite(long nowMillis) {
        return timeToLive == null ? StoredState.NO_TIME : nowMillis;
    }

    /** From when on all values of a stored state, which have been stored by this type, are expired; null for never. */
    @Nullable
    Long expiryMillis(StoredState stored) {
        return timeToLive == null ? null : stored.latestTimeMillis() + timeToLive.millis();
    }
}
