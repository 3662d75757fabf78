package io.millrace.serde;

/**
 * How a value becomes bytes and back. Thread-safe. What one version of the code has written, every later one must be
 * able to read.
 */
public interface Serde<T> {
    /** The bytes of a value. */
    byte[] serialize(T value);

    /**
     * The value of the bytes, never null. It must not keep or change the array. Any exception means that the bytes
     * cannot be decoded.
     */
    T deserialize(byte[] data) throws Exception;

    /** Whether the bytes are always UTF-8 text; such state is stored as a DynamoDB string that people can read. */
    default boolean isText() {
        return false;
    }

    /** What it is, in words that stay the same between versions of the code: part of the topology's fingerprint. */
    default String description() {
        return getClass().getName();
    }
}
