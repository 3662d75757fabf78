package io.millrace.local.internal.dynamodb;

import org.jspecify.annotations.Nullable;

/**
 * The place of an item in a table or index: first a stable hash of the partition key, then the partition key, then the
 * sort key, then (in an index, whose keys repeat) the key in the table. So one sorted map has partitions in scan order,
 * each in sort order, and a segment of a parallel scan is a range of hashes.
 *
 * <p>A key with a missing tail and an {@link #edge} is a bound: it lies before (-1) or behind (+1) all keys that begin
 * like it.
 */
record StoredKey(
        int partitionHash,
        @Nullable Value partition,
        @Nullable Value sort,
        @Nullable StoredKey tableKey,
        int edge) implements Comparable<StoredKey> {
    private static final int BEFORE = -1;
    private static final int BEHIND = 1;

    static StoredKey of(Value partition, @Nullable Value sort, @Nullable StoredKey tableKey) {
        return new StoredKey(hash(partition), partition, sort, tableKey, 0);
    }

    static StoredKey beforePartition(Value partition) {
        return new StoredKey(hash(partition), partition, null, null, BEFORE);
    }

    static StoredKey behindPartition(Value partition) {
        return new StoredKey(hash(partition), partition, null, null, BEHIND);
    }

    static StoredKey beforeSort(Value partition, Value sort) {
        return new StoredKey(hash(partition), partition, sort, null, BEFORE);
    }

    static StoredKey behindSort(Value partition, Value sort) {
        return new StoredKey(hash(partition), partition, sort, null, BEHIND);
    }

    static StoredKey beforeHash(int hash) {
        return new StoredKey(hash, null, null, null, BEFORE);
    }

    @Override
    public int compareTo(StoredKey other) {
        int order = Integer.compareUnsigned(partitionHash, other.partitionHash);
        if (order != 0) {
            return order;
        }
        if (partition == null || other.partition == null) {
            return Integer.compare(edge, other.edge);
        }
        order = ScalarOrder.compare(partition, other.partition);
        if (order != 0) {
            return order;
        }
        if (sort != null && other.sort != null) {
            order = ScalarOrder.compare(sort, other.sort);
            if (order != 0) {
                return order;
            }
        } else if (sort != null || other.sort != null) {
            return Integer.compare(edge, other.edge);
        }
        if (tableKey == null || other.tableKey == null) {
            return Integer.compare(edge, other.edge);
        }
        return tableKey.compareTo(other.tableKey);
    }

    /** A hash of the key's content, the same in every process, with its bits well mixed. */
    static int hash(Value key) {
        int hash;
        if (key instanceof Value.Text text) {
            hash = text.text().hashCode();
        } else if (key instanceof Value.Numeric number) {
            hash = number.text().hashCode();
        } else {
            // Of a binary: made of its bytes alone.
            hash = key.hashCode();
        }
        hash ^= hash >>> 16;
        hash *= 0x85ebca6b;
        hash ^= hash >>> 13;
        hash *= 0xc2b2ae35;
        return hash ^ (hash >>> 16);
    }
}
