package io.millrace.internal.engine;

import org.jspecify.annotations.Nullable;

/** A registered state: the handle that the function holds, showing one key's content at a time. */
interface LiveState {
    /** One key's content while records run: decoded when first used, encoded when the unit is sealed. */
    interface Content {
        /** What shall be stored; null for nothing. */
        @Nullable
        StoredState store();
    }

    /**
     * The content that is stored; null for nothing.
     *
     * @param nowMillis the time of the run
     */
    Content load(@Nullable StoredState stored, long nowMillis);

    /** Makes the handle show a content that {@link #load} gave; null for none, where its use is an error. */
    void show(@Nullable Content content);

    /** From when on nothing that a content has stored can be seen any more, in milliseconds since the epoch; null for never. */
    @Nullable
    Long expiryMillis(StoredState stored);

    /** The error of a handle that is used where there is no key. */
    static IllegalStateException notInUse(String name) {
        return new IllegalStateException("The state '" + name
                + "' is used outside of processElement and onTimer, where there is no current key. Use it only there.");
    }

    /** The error of a state that is stored in another shape than it is registered. */
    static UnreadableStateException otherShape(String name, StoredState stored, String registeredAs) {
        String storedAs = stored instanceof StoredState.Value
                ? "a value"
                : stored instanceof StoredState.Entries ? "a map" : "a list";
        return new UnreadableStateException(
                "The state '" + name + "' is stored as " + storedAs + ", but registered as " + registeredAs
                        + ". Give the new state another name.",
                null);
    }
}
