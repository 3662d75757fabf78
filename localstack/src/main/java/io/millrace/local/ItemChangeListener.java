package io.millrace.local;

import java.util.List;

/**
 * Told of every change of an item in an {@link EmbeddedAws}: what a test checks invariants with, since no change escapes
 * it, whoever made it.
 *
 * <p>It is called on the thread of the request, under the lock of all tables, after the change took effect and before
 * anybody can read it. So the calls come one at a time, in the order in which changes take effect. It should be quick, and
 * it should not throw: what it throws comes out of the request like a failure of the transport, while the change stays.
 */
@FunctionalInterface
public interface ItemChangeListener {
    /**
     * Takes the changes of one request: the one of a {@code PutItem}, {@code UpdateItem} or {@code DeleteItem}, all those
     * of a {@code BatchWriteItem} or a {@code TransactWriteItems}, or all that one call of {@link
     * EmbeddedAws#deleteExpiredItems()} deleted. Requests that write no item are not told of: reads, refused writes, a
     * delete of what is not there, a repetition that a client request token made harmless. Neither is the deletion of a
     * table with its items.
     *
     * @param changes at least one, in the order of the request; unmodifiable
     */
    void onChanges(List<ItemChange> changes);
}
