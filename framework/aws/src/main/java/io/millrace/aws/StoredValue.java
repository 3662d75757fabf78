package io.millrace.aws;

import io.millrace.internal.engine.StoredState;
import io.millrace.serde.Serde;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/** One value of a state as it is stored: a text, as JSON's serdes write, or bytes. Immutable. */
public final class StoredValue {
    private final StoredState.Value stored;

    StoredValue(StoredState.Value stored) {
        this.stored = stored;
    }

    /** Whether it is stored as text. */
    public boolean isText() {
        return stored.isText();
    }

    /** The text, to the character as it is stored; the bytes in base64 if it is stored as bytes. */
    public String text() {
        return isText() ? stored.text() : Base64.getEncoder().encodeToString(stored.data());
    }

    /** The bytes as the state's serde wrote them; a text in UTF-8. A copy. */
    public byte[] bytes() {
        return stored.data().clone();
    }

    /**
     * When its time to live began; null if its state has none. It may be over: how long it is stands in the pipeline's code
     * only, and what has expired is dropped at the next write of the cell.
     */
    public @Nullable Instant time() {
        return stored.timeMillis() == StoredState.NO_TIME ? null : Instant.ofEpochMilli(stored.timeMillis());
    }

    <T> T read(Serde<T> serde) throws Exception {
        return serde.deserialize(stored.data());
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StoredValue value
                && isText() == value.isText()
                && stored.timeMillis() == value.stored.timeMillis()
                && Arrays.equals(stored.data(), value.stored.data());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(stored.data());
    }

    @Override
    public String toString() {
        return text();
    }
}
