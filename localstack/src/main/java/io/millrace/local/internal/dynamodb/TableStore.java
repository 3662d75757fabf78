package io.millrace.local.internal.dynamodb;

import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * All tables of the service, and the one lock that every operation holds while it touches them. So each operation, a
 * transaction included, takes effect at one moment, and a real {@code TransactionConflict} cannot happen here; fault
 * injection answers that one. Documents are read and written outside the lock.
 */
final class TableStore {
    private final ReentrantLock lock = new ReentrantLock();
    private final TreeMap<String, Table> tables = new TreeMap<>();

    /** Runs an action alone. */
    <T> T locked(Supplier<T> action) {
        lock.lock();
        try {
            return action.get();
        } finally {
            lock.unlock();
        }
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
