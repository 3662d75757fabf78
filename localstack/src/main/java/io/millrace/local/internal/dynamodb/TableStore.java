package io.millrace.local.internal.dynamodb;

import io.millrace.local.ItemChangeListener;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All tables of the service, and the one lock that every operation holds while it touches them. So each operation, a
 * transaction included, takes effect at one moment, and a real {@code TransactionConflict} cannot happen here; fault
 * injection answers that one. Documents are read and written outside the lock.
 *
 * <p>Items change through {@link #apply} and {@link #expire} alone, so that the listener misses nothing.
 */
final class TableStore {
    private final ReentrantLock lock = new ReentrantLock();
    private final TreeMap<String, Table> tables = new TreeMap<>();
    private final ChangeNotice notice;

    TableStore(@Nullable ItemChangeListener listener) {
        this.notice = new ChangeNotice(listener);
    }

    /** Runs an action alone, and tells the listener what it changed. */
    <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            // After a failure too: what took effect before it must not be told as the next request's.
            try {
                notice.send();
            } finally {
                lock.unlock();
            }
        }
    }

    /** Applies a checked change and answers what it costs. */
    CapacityUnits apply(Table table, Change change) {
        CapacityUnits units = table.apply(change);
        notice.add(table, change, false);
        return units;
    }

    /** Deletes the items of all tables whose time to live ended before the moment, and answers how many. */
    int expire(long nowEpochSeconds) {
        int count = 0;
        for (Table table : tables.values()) {
            for (Change change : table.expired(nowEpochSeconds)) {
                table.apply(change);
                notice.add(table, change, true);
                count++;
            }
        }
        return count;
    }

    NavigableMap<String, Table> tables() {
        return tables;
    }

    /** The table for an operation on items. */
    Table table(String name) {
        Table table = tables.get(name);
        if (table == null) {
            throw ServiceErrors.tableNotFound();
        }
        return table;
    }

    /** The table for an operation on tables, whose error names it. */
    Table describedTable(String name) {
        Table table = tables.get(name);
        if (table == null) {
            throw ServiceErrors.tableNotFound(name);
        }
        return table;
    }
}
