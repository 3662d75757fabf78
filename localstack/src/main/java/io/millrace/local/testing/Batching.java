package io.millrace.local.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A way to cut the records of a shard into batches, as Lambda may. */
enum Batching {
    ONE("one batch", true) {
        @Override
        List<Range> ranges(int records, Random random) {
            return fixed(records, records);
        }
    },
    SINGLES("batches of 1", true) {
        @Override
        List<Range> ranges(int records, Random random) {
            return fixed(records, 1);
        }
    },
    PAIRS("batches of 2", true) {
        @Override
        List<Range> ranges(int records, Random random) {
            return fixed(records, 2);
        }
    },
    UNEVEN("uneven batches", true) {
        @Override
        List<Range> ranges(int records, Random random) {
            return uneven(records, random);
        }
    },
    FROM_THE_BEGINNING("uneven batches, each with all records before it once more", false) {
        @Override
        List<Range> ranges(int records, Random random) {
            return uneven(records, random).stream()
                    .map(range -> new Range(0, range.to()))
                    .toList();
        }
    },
    TWICE("uneven batches, each delivered twice", false) {
        @Override
        List<Range> ranges(int records, Random random) {
            return uneven(records, random).stream()
                    .flatMap(range -> List.of(range, range).stream())
                    .toList();
        }
    };

    /** The most records of a batch, as on Lambda. */
    private static final int BATCH_RECORDS_MAX = PipelineTestDriver.Builder.BATCH_RECORDS_MAX;

    private static final int UNEVEN_RECORDS_MAX = 7;

    private final String words;
    private final boolean crashes;

    Batching(String words, boolean crashes) {
        this.words = words;
        this.crashes = crashes;
    }

    /** Records from an index to the one behind the last. */
    record Range(int from, int to) {}

    /** The batches of a shard that has so many records, in the order of their delivery. */
    abstract List<Range> ranges(int records, Random random);

    /** Whether its batches are also run with crashes. */
    boolean hasCrashes() {
        return crashes;
    }

    private static List<Range> fixed(int records, int size) {
        List<Range> ranges = new ArrayList<>();
        int step = Math.max(1, Math.min(size, BATCH_RECORDS_MAX));
        for (int from = 0; from < records; from += step) {
            ranges.add(new Range(from, Math.min(records, from + step)));
        }
        return ranges;
    }

    private static List<Range> uneven(int records, Random random) {
        List<Range> ranges = new ArrayList<>();
        for (int from = 0; from < records; ) {
            int to = Math.min(records, from + 1 + random.nextInt(UNEVEN_RECORDS_MAX));
            ranges.add(new Range(from, to));
            from = to;
        }
        return ranges;
    }

    @Override
    public String toString() {
        return words;
    }
}
