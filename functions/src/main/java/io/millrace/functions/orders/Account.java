package io.millrace.functions.orders;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The state of an account. It is never overdrawn.
 *
 * @param balanceCents what is in it
 * @param accepted how many orders were carried out
 * @param rejected how many were not, since the balance was too low
 */
public record Account(@JsonProperty("balance_cents") long balanceCents, long accepted, long rejected) {
    /** An account before its first order. */
    public static final Account NEW = new Account(0, 0, 0);

    /** Whether an order can be carried out. */
    public boolean covers(Order order) {
        return Math.addExact(balanceCents, order.cents()) >= 0;
    }

    /** The account after an order, carried out or rejected. */
    public Account after(Order order) {
        return covers(order)
                ? new Account(balanceCents + order.cents(), accepted + 1, rejected)
                : new Account(balanceCents, accepted, rejected + 1);
    }
}
