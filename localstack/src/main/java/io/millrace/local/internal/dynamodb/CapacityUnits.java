package io.millrace.local.internal.dynamodb;

import java.util.Map;
import java.util.TreeMap;

/** Read or write units that one table and its indexes spent on a request. Not thread-safe. */
final class CapacityUnits {
    static final int WRITE_UNIT_BYTES = 1_024;
    static final int READ_UNIT_BYTES = 4_096;

    private double table;
    private final Map<String, Double> indexes = new TreeMap<>();

    /** Write units of an item of this size; the smallest write costs one. */
    static double writes(int sizeBytes) {
        return Math.max(1, ceilingDivision(sizeBytes, WRITE_UNIT_BYTES));
    }

    /** Read units of this many bytes; a read that finds nothing costs as much as the smallest. */
    static double reads(long sizeBytes, ReadConsistency consistency) {
        return Math.max(1, ceilingDivision(sizeBytes, READ_UNIT_BYTES)) * consistency.unitsPerBlock();
    }

    private static long ceilingDivision(long bytes, int unit) {
        return (bytes + unit - 1) / unit;
    }

    /** How a read relates to writes at the same time, which decides what it costs. */
    enum ReadConsistency {
        EVENTUAL(0.5),
        STRONG(1),
        TRANSACTIONAL(2);

        private final double unitsPerBlock;

        ReadConsistency(double unitsPerBlock) {
            this.unitsPerBlock = unitsPerBlock;
        }

        double unitsPerBlock() {
            return unitsPerBlock;
        }

        static ReadConsistency of(boolean consistentRead) {
            return consistentRead ? STRONG : EVENTUAL;
        }
    }

    CapacityUnits addTable(double units) {
        table += units;
        return this;
    }

    CapacityUnits addIndex(String index, double units) {
        if (units > 0) {
            indexes.merge(index, units, Double::sum);
        }
        return this;
    }

    CapacityUnits add(CapacityUnits other, double factor) {
        addTable(other.table * factor);
        other.indexes.forEach((index, units) -> addIndex(index, units * factor));
        return this;
    }

    double table() {
        return table;
    }

    Map<String, Double> indexes() {
        return indexes;
    }

    double total() {
        return table
                + indexes.values().stream().mapToDouble(Double::doubleValue).sum();
    }
}
