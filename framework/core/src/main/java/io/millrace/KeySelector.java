package io.millrace;

/** Tells the key of an element. Must tell the same key each time, since a record is fenced under its key. */
@FunctionalInterface
public interface KeySelector<T, K> {
    /** Returns the key, never null. */
    K getKey(T value) throws Exception;
}
