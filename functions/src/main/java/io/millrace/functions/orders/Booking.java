package io.millrace.functions.orders;

/**
 * An order that was decided on.
 *
 * @param accepted whether it was carried out
 * @param after the account behind it
 */
record Booking(Order order, boolean accepted, Account after) {
    LedgerRow ledgerRow() {
        return new LedgerRow(
                order.account(),
                order.id(),
                order.given().toString(),
                order.cents(),
                accepted ? LedgerRow.ACCEPTED : LedgerRow.REJECTED,
                after.balanceCents());
    }

    BalanceRow balanceRow() {
        return new BalanceRow(order.account(), after.balanceCents(), after.accepted(), after.rejected());
    }
}
