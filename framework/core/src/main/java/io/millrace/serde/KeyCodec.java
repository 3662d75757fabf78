package io.millrace.serde;

/**
 * How a key becomes text and back. Injective both ways: different keys have different texts, and {@code decode} gives
 * the key that was encoded. Thread-safe. A changed codec is a change of all keys.
 */
public interface KeyCodec<K> {
    /** The text of a key. */
    String encode(K key);

    /** The key of a text that {@link #encode} gave. */
    K decode(String text);

    /** What it is, in words that stay the same between versions of the code. */
    default String description() {
        return getClass().getName();
    }
}
