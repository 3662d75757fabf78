package io.millrace.state;

import java.util.List;

/**
 * A list a key. It is stored in the key's cell, so the whole of it must stay small (DynamoDB: 400 KB a cell), and it is
 * written whole at each change of the cell.
 */
public interface ListState<T> extends State {
    /** The elements, in the order in which they were added; empty if there are none. A snapshot of the list. */
    Iterable<T> get();

    /**
     * Adds an element at the end.
     *
     * @throws NullPointerException if it is null
     */
    void add(T value);

    /**
     * Adds elements at the end, in their order.
     *
     * @throws NullPointerException if the list or one of them is null; then none is added
     */
    void addAll(List<? extends T> values);

    /**
     * Replaces all elements; an empty list removes the state.
     *
     * @throws NullPointerException if the list or one of them is null; then nothing is replaced
     */
    void update(List<? extends T> values);
}
