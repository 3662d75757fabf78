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

    /** The content that is stored; null for nothing. */
    Content load(@Nullable StoredState stored);

    /** Makes the handle show a content that {@link #load} gave; null for none, where its use is an error. */
    void show(@Nullable Content content);

    /** The error of a handle that is used where there is no key. */
    static IllegalStateException notInUse(String name) {
        return new IllegalStateException("The state '" + name
                + "' is used outside of processElement, where there is no current key. Use it only there.");
    }
}
