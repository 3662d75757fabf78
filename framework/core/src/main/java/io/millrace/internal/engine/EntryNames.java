package io.millrace.internal.engine;

import io.millrace.internal.item.ItemSize;
import io.millrace.internal.item.UnacceptableException;

/**
 * The user keys of a map as the attribute names under which its entries are stored. DynamoDB takes no empty name, so an
 * empty key gets a mark, and so does one that begins with the mark.
 */
final class EntryNames {
    /** The longest user key, in UTF-8 bytes: DynamoDB's limit for attribute names, less the mark. */
    static final int KEY_BYTES_MAX = 65_535 - 1;

    private static final String MARK = "%";

    private EntryNames() {}

    /**
     * A user key that can be stored.
     *
     * @throws UnacceptableException if it is too long, or no Unicode
     */
    static String checked(String state, String key) {
        int bytes = ItemSize.utf8Length(key);
        if (bytes > KEY_BYTES_MAX) {
            throw new UnacceptableException("A user key of the state '" + state + "' has " + bytes + " bytes; "
                    + KEY_BYTES_MAX + " are allowed. Shorten it, for example to its hash.");
        }
        return key;
    }

    static String ofKey(String key) {
        return key.isEmpty() || key.startsWith(MARK) ? MARK + key : key;
    }

    static String toKey(String name) {
        return name.startsWith(MARK) ? name.substring(MARK.length()) : name;
    }
}
