package io.millrace.internal.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.internal.item.ItemSize;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What compression costs and saves, as a table on standard output: the source of the table in the guide "State". No test
 * by its name, so that only who asks for it runs it:
 *
 * <pre>{@code
 * mvn -q -pl framework/core test -Dtest=CompressionMeasurement
 * }</pre>
 */
class CompressionMeasurement {
    private static final long SEED = 1_867;
    private static final int[] KILOBYTES = {1, 2, 3, 4, 6, 8, 10, 16, 25, 50, 100};
    private static final int REPETITIONS = 2_000;
    private static final long NANOS_MAX = 2_000_000_000L;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final CellKey KEY = new CellKey("orders", "customer-48151623", 1);

    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLION = 1e6;

    /** An update of a cell: compressed once, inflated once. */
    private record Cost(double deflateMicros, double inflateMicros) {
        double dollarsPerMillion() {
            return (deflateMicros + inflateMicros) * CellCost.DOLLARS_PER_CPU_SECOND;
        }
    }

    @Test
    void table() {
        System.out.println("| cell, bytes | compressed | write units | saved | compress, us | decompress, us |"
                + " CPU, $ a million | saved units, $ a million |");
        System.out.println("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
        for (int kilobytes : KILOBYTES) {
            System.out.println(line(cell(kilobytes * 1024)));
        }
    }

    private static String line(Cell cell) {
        ObjectNode item = plainItem(cell);
        ObjectNode states = (ObjectNode) item.get(CellItems.STATE);
        int plainBytes = ItemSize.of(item);
        byte[] deflated = Objects.requireNonNull(CompressedStates.deflate(states));
        item.put(CellItems.STATE, deflated);
        int bytes = ItemSize.of(item);
        int saved = ItemSize.writeUnits(plainBytes) - ItemSize.writeUnits(bytes);
        Cost cost = new Cost(
                medianMicros(() -> Objects.requireNonNull(CompressedStates.deflate(states)).length),
                medianMicros(() -> inflate(deflated).size()));
        return String.format(
                Locale.ROOT,
                "| %,d | %,d | %d | %d | %.0f | %.0f | %.4f | %.3f |",
                plainBytes,
                bytes,
                ItemSize.writeUnits(plainBytes),
                saved,
                cost.deflateMicros(),
                cost.inflateMicros(),
                cost.dollarsPerMillion(),
                saved * CellCost.DOLLARS_PER_MILLION_WRITE_UNITS);
    }

    private static ObjectNode inflate(byte[] deflated) {
        try {
            return CompressedStates.inflate(KEY, deflated);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** A cell's item as it is without compression. */
    private static ObjectNode plainItem(Cell cell) {
        ObjectNode item = CellItems.toItem(new Cell(cell.key(), cell.version(), cell.fence(), Map.of()));
        ObjectNode state = item.putObject(CellItems.STATE);
        cell.states().forEach((name, stored) -> state.put(name, ((StoredState.Value) stored).text()));
        return item;
    }

    /** A customer's open orders, as JSON, in a cell of about this size that was written from four shards. */
    private static Cell cell(int bytes) {
        Fence fence = Fence.EMPTY;
        for (int shard = 0; shard < 4; shard++) {
            fence = fence.raisedTo(
                    new Lane(0, "orders", "shardId-%012d".formatted(shard)),
                    Position.of("4959033827149025660855969253836157109592157598913658889" + shard));
        }
        Random random = new Random(SEED);
        StringBuilder orders = new StringBuilder("{\"customer\":\"customer-48151623\",\"orders\":[");
        Cell cell = new Cell(KEY, "q3Zt0wLk5vXc8RmB1nYd7A", fence, Map.of());
        while (true) {
            String more = orders + (orders.charAt(orders.length() - 1) == '[' ? "" : ",") + order(random);
            Cell larger = new Cell(KEY, cell.version(), fence, Map.of("orders", text(more + "]}")));
            if (ItemSize.of(plainItem(larger)) > bytes) {
                return cell;
            }
            cell = larger;
            orders = new StringBuilder(more);
        }
    }

    private static String order(Random random) {
        String[] statuses = {"PLACED", "PAID", "SHIPPED", "DELIVERED"};
        return String.format(
                Locale.ROOT,
                "{\"id\":\"%08x-%04x\",\"time\":\"2025-0%d-%02dT%02d:%02d:%02d.%03dZ\",\"status\":\"%s\","
                        + "\"article\":\"SKU-%06d\",\"quantity\":%d,\"cents\":%d}",
                random.nextInt(),
                random.nextInt(0x10000),
                1 + random.nextInt(9),
                1 + random.nextInt(28),
                random.nextInt(24),
                random.nextInt(60),
                random.nextInt(60),
                random.nextInt(1_000),
                statuses[random.nextInt(statuses.length)],
                random.nextInt(1_000_000),
                1 + random.nextInt(9),
                random.nextInt(100_000));
    }

    private static StoredState.Value text(String text) {
        return new StoredState.Value(text.getBytes(UTF_8), true);
    }

    private interface Work {
        int run();
    }

    /** The median of the second half, when the code is compiled, in the time of the CPU. */
    private static double medianMicros(Work work) {
        long[] nanos = new long[REPETITIONS];
        int measured = 0;
        int sink = 0;
        long begun = THREADS.getCurrentThreadCpuTime();
        while (measured < REPETITIONS && THREADS.getCurrentThreadCpuTime() - begun < NANOS_MAX) {
            long from = THREADS.getCurrentThreadCpuTime();
            sink += work.run();
            nanos[measured++] = THREADS.getCurrentThreadCpuTime() - from;
        }
        if (sink == 0) {
            throw new IllegalStateException("nothing was done");
        }
        long[] sorted = Arrays.copyOfRange(nanos, measured / 2, measured);
        Arrays.sort(sorted);
        return sorted[sorted.length / 2] / NANOS_PER_SECOND * MILLION;
    }
}
