package io.millrace.local.internal.kinesis;

import java.util.ArrayList;
import java.util.List;

/** The retained records of one shard, in order and numbered without gaps. Not thread-safe. */
final class RecordLog {
    private static final long FIRST_NUMBER = 1;
    /** Trimmed places are given back once this many have gathered and they are more than half of the list. */
    private static final int COMPACTION_PLACES_MIN = 1_024;

    private final List<StoredRecord> records = new ArrayList<>();
    /** The number of the record at place 0 of the list. */
    private long baseNumber = FIRST_NUMBER;

    private int trimmedPlaces;

    /** The number of the oldest retained record, or of the next one if there is none. */
    long firstNumber() {
        return baseNumber + trimmedPlaces;
    }

    /** The number that the next record gets. */
    long nextNumber() {
        return baseNumber + records.size();
    }

    StoredRecord append(PutEntry entry, long nowMillis) {
        // Arrival never goes back within a shard, even if the clock does: reading by time relies on it.
        long arrivalMillis = records.isEmpty()
                ? nowMillis
                : Math.max(nowMillis, records.get(records.size() - 1).arrivalMillis());
        StoredRecord stored = new StoredRecord(nextNumber(), entry, arrivalMillis);
        records.add(stored);
        return stored;
    }

    StoredRecord get(long number) {
        return records.get(Math.toIntExact(number - baseNumber));
    }

    /** Drops the records that arrived before the horizon. */
    void trim(long horizonMillis) {
        long keep = firstNumberSince(horizonMillis);
        trimmedPlaces = Math.toIntExact(keep - baseNumber);
        if (trimmedPlaces >= COMPACTION_PLACES_MIN && trimmedPlaces > records.size() / 2) {
            records.subList(0, trimmedPlaces).clear();
            baseNumber = keep;
            trimmedPlaces = 0;
        }
    }

    /** The number of the oldest retained record that arrived at that time or later, or of the next record. */
    long firstNumberSince(long millis) {
        if (firstNumber() == nextNumber() || get(firstNumber()).arrivalMillis() >= millis) {
            return firstNumber();
        }
        int low = trimmedPlaces;
        int high = records.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (records.get(middle).arrivalMillis() < millis) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return baseNumber + low;
    }
}
