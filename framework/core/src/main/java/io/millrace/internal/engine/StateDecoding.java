package io.millrace.internal.engine;

import io.millrace.serde.Serde;

/** Decodes stored values, with an error that names the state. */
final class StateDecoding {
    private StateDecoding() {}

    static <T> T decode(String state, Serde<T> serde, StoredState.Value stored) {
        try {
            return serde.deserialize(stored.data());
        } catch (Exception e) {
            throw new UnreadableStateException(
                    "The state '" + state + "' cannot be read by " + serde.description()
                            + ". Was its type changed? Give the new state another name, or a serde that reads both.",
                    e);
        }
    }
}
