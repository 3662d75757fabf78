package io.millrace.functions.orders;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.sink.PartitionKey;

/**
 * An account as it is now.
 *
 * @param account its name
 * @param balanceCents what is in it
 * @param accepted how many orders were carried out
 * @param rejected how many were not
 */
public record BalanceRow(
        @PartitionKey String account,
        @JsonProperty("balance_cents") long balanceCents,
        long accepted,
        long rejected) {}
