package io.millrace.local.internal.dynamodb;

import org.jspecify.annotations.Nullable;

/** A checked write of one item that has not been applied yet: what is there before, and what will be there after. */
record Change(
        StoredKey key, @Nullable MapValue before, @Nullable MapValue after) {
    /** The larger of the two sizes: what a write costs. */
    int costBytes() {
        return Math.max(sizeBytes(before), sizeBytes(after));
    }

    private static int sizeBytes(@Nullable MapValue item) {
        return item == null ? 0 : item.itemSizeBytes();
    }
}
