package io.millrace;

/**
 * Gathers elements of one key in an accumulator, from which a result is taken. Its methods may change the accumulators
 * that they are given and return them.
 *
 * @param <IN> the elements
 * @param <ACC> what is kept of them
 * @param <OUT> the results
 */
public interface AggregateFunction<IN, ACC, OUT> {
    /** Returns a new accumulator, without any element in it, never null. */
    ACC createAccumulator();

    /** Returns the accumulator with an element added, never null. */
    ACC add(IN value, ACC accumulator);

    /** Returns the result of all elements added so far. It must leave the accumulator as it is. */
    OUT getResult(ACC accumulator);

    /** Returns an accumulator with the elements of both, never null. Asked only where windows are merged. */
    ACC merge(ACC a, ACC b);
}
