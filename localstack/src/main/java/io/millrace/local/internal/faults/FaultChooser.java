package io.millrace.local.internal.faults;

import io.millrace.local.Fault;
import org.jspecify.annotations.Nullable;

/** Decides which fault a request meets. Thread-safe. */
public interface FaultChooser {
    /** The fault of the next request of an operation (as {@code DynamoDB.GetItem}), or null. */
    @Nullable
    Fault choose(String operation);

    /** A number from 0 to {@code bound} - 1 for the details of a fault. */
    int nextInt(int bound);
}
