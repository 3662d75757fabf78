package io.millrace.local.internal.s3;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One page of a listing by keys: entries, and in place of all entries whose key has the delimiter after the prefix, what
 * their keys have in common up to it.
 *
 * @param last what the page ends with, an entry or a common prefix; null if it is empty
 * @param truncated whether there is more
 */
record ListingPage<E>(
        List<E> entries,
        List<String> commonPrefixes,
        @Nullable Last<E> last,
        boolean truncated) {
    /** The end of a page: a common prefix, or else an entry. */
    record Last<E>(@Nullable E entry, String keyOrPrefix) {}

    /**
     * Makes a page.
     *
     * @param ordered the entries by key, from the first that can be on the page
     * @param listedMax the most entries and common prefixes together
     * @param done a common prefix that the page before ended with; empty if there is none
     */
    static <E> ListingPage<E> of(
            Iterable<E> ordered,
            Function<E, String> keyOf,
            String prefix,
            String delimiter,
            int listedMax,
            String done) {
        List<E> entries = new ArrayList<>();
        List<String> commonPrefixes = new ArrayList<>();
        Last<E> last = null;
        boolean truncated = false;
        String common = done;
        for (E entry : ordered) {
            String key = keyOf.apply(entry);
            if (!key.startsWith(prefix)) {
                // Keys with the prefix stand together, and the first entry is not before them.
                break;
            }
            if (!common.isEmpty() && key.startsWith(common)) {
                continue;
            }
            if (entries.size() + commonPrefixes.size() >= listedMax) {
                truncated = listedMax > 0;
                break;
            }
            int end = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
            if (end < 0) {
                entries.add(entry);
                last = new Last<>(entry, key);
            } else {
                common = key.substring(0, end + delimiter.length());
                commonPrefixes.add(common);
                last = new Last<>(null, common);
            }
        }
        return new ListingPage<>(List.copyOf(entries), List.copyOf(commonPrefixes), last, truncated);
    }
}
