package io.millrace.functions.orders;

import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.StageStream;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;

/**
 * Accounts and their orders: a running balance for each account, and a ledger row for each order. Both rows commit with
 * the state in one transaction, so the ledger always adds up to the balance. An order that the balance does not cover is
 * no error, but rejected, and the ledger says so.
 *
 * <p>The stream is to be partitioned by account: whether an order is covered depends on those before it.
 */
public final class Orders implements PipelineDefinition {
    /** The stream that it reads. */
    public static final String STREAM = "orders";

    /** The table with a row for each order. */
    public static final String LEDGER_TABLE = "order-ledger";

    /** The table with a row for each account. */
    public static final String BALANCE_TABLE = "order-balances";

    @Override
    public void define(PipelineBuilder pipeline) {
        StageStream<Booking> bookings = pipeline.fromKinesis(STREAM, Json.of(Order.class))
                .keyBy(Order::account)
                .process(new Book())
                .uid("accounts");
        bookings.map(Booking::ledgerRow).sinkTo(DynamoDbSink.rows(LEDGER_TABLE, LedgerRow.class));
        bookings.map(Booking::balanceRow).sinkTo(DynamoDbSink.rows(BALANCE_TABLE, BalanceRow.class));
    }
}
