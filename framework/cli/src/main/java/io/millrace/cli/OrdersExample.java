package io.millrace.cli;

import com.fasterxml.jackson.core.JsonPointer;
import io.millrace.functions.orders.Order;
import io.millrace.functions.orders.Orders;
import io.millrace.functions.orders.SampleOrders;
import io.millrace.serde.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The orders: generated or from JSON lines, partitioned by account; the ledger and the balances. */
final class OrdersExample implements Example {
    private static final PartitionKeys BY_ACCOUNT = new PartitionKeys.OfField(JsonPointer.compile("/account"));

    @Override
    public Class<Orders> type() {
        return Orders.class;
    }

    @Override
    public String stream() {
        return Orders.STREAM;
    }

    @Override
    public Input open(@Nullable Path file, Consumer<String> brokenLines) throws IOException {
        return file == null ? new Generated() : JsonLines.open(file, BY_ACCOUNT, brokenLines);
    }

    @Override
    public Expectation expectation() {
        return new OrdersExpectation();
    }

    @Override
    public Board board(ResultTables tables) {
        return OrdersBoard.of(tables);
    }

    private static final class Generated implements Input {
        private final Json<Order> json = Json.of(Order.class);
        private final SampleOrders orders = new SampleOrders();

        @Override
        public @Nullable OutgoingRecord next() {
            if (!orders.hasNext()) {
                return null;
            }
            Order order = orders.next();
            return new OutgoingRecord(order.account(), json.serialize(order));
        }

        @Override
        public long brokenLines() {
            return 0;
        }

        @Override
        public OptionalLong size() {
            return OptionalLong.of(SampleOrders.ORDERS);
        }

        @Override
        public void close() {}
    }
}
