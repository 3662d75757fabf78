package io.millrace.internal.engine;

import io.millrace.internal.item.ItemSize;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * What DynamoDB takes for updates of a cell: one consistent read and one write. AWS's list prices of 2025, on
 * demand in us-east-1: aws.amazon.com/dynamodb/pricing/on-demand (halved in November 2024) and aws.amazon.com/lambda/pricing
 * (x86).
 */
final class CellCost {
    static final double DOLLARS_PER_MILLION_WRITE_UNITS = 0.625;
    static final double DOLLARS_PER_MILLION_READ_UNITS = 0.125;

    private static final double DOLLARS_PER_GIGABYTE_SECOND = 0.0000166667;

    /** Lambda gives a whole CPU at 1,769 MB. */
    private static final double GIGABYTES_PER_CPU = 1_769 / 1024.0;

    static final double DOLLARS_PER_CPU_SECOND = DOLLARS_PER_GIGABYTE_SECOND * GIGABYTES_PER_CPU;

    private static final int READ_UNIT_BYTES = 4 * 1024;
    private static final int TRANSACTION_FACTOR = 2;
    private static final int[] KILOBYTES = {1, 10, 100};

    private CellCost() {}

    /** The dollars of a million updates of a cell, with so many rows of up to 1 KB each in its transaction; 0 for none. */
    static double dollarsPerMillion(int cellBytes, int rows) {
        int readUnits = (cellBytes + READ_UNIT_BYTES - 1) / READ_UNIT_BYTES;
        int writeUnits = ItemSize.writeUnits(cellBytes) + rows;
        return readUnits * DOLLARS_PER_MILLION_READ_UNITS
                + writeUnits * (rows == 0 ? 1 : TRANSACTION_FACTOR) * DOLLARS_PER_MILLION_WRITE_UNITS;
    }

    /** The table of the guide "State". */
    static String table() {
        StringBuilder table = new StringBuilder("| cell as stored | no rows | one row of 1 KB | ten rows of 1 KB |\n")
                .append("| ---: ");
        table.append("| ---: ".repeat(3)).append("|\n");
        for (int kilobytes : KILOBYTES) {
            table.append("| ").append(kilobytes).append(" KB ");
            IntStream.of(0, 1, 10)
                    .mapToDouble(rows -> dollarsPerMillion(kilobytes * 1024, rows))
                    .forEach(dollars -> table.append(String.format(Locale.ROOT, "| $%.2f ", dollars)));
            table.append("|\n");
        }
        return table.toString();
    }
}
