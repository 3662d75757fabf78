package io.millrace;

/** Decides which elements stay. Must decide the same each time. */
@FunctionalInterface
public interface FilterFunction<T> {
    /** Whether the element stays. */
    boolean filter(T value) throws Exception;
}
