package io.millrace.functions.orders;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;

/**
 * A row of the ledger: what became of an order.
 *
 * @param account whose order it is
 * @param order its id
 * @param given when it was given
 * @param cents how much it moves, or would have moved
 * @param status {@value #ACCEPTED} or {@value #REJECTED}
 * @param balanceCents the account's balance behind it
 */
public record LedgerRow(
        @PartitionKey String account,
        @SortKey String order,
        String given,
        long cents,
        String status,
        @JsonProperty("balance_cents") long balanceCents) {
    /** It was carried out. */
    public static final String ACCEPTED = "accepted";

    /** The balance was too low for it. */
    public static final String REJECTED = "rejected";
}
