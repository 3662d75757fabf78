package io.millrace.local.internal.dynamodb;

import java.util.concurrent.atomic.DoubleAdder;

/** The units that a service has spent since it was made, refused conditional writes included. Thread-safe. */
final class CapacityMeter {
    private final DoubleAdder readUnits = new DoubleAdder();
    private final DoubleAdder writeUnits = new DoubleAdder();

    void add(boolean write, double units) {
        (write ? writeUnits : readUnits).add(units);
    }

    double readUnits() {
        return readUnits.sum();
    }

    double writeUnits() {
        return writeUnits.sum();
    }
}
