package io.millrace.cli;

import io.millrace.functions.orders.BalanceRow;
import io.millrace.functions.orders.LedgerRow;
import io.millrace.functions.orders.Order;
import io.millrace.serde.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The ledger and the balances by a plain loop, on purpose without the pipeline's own code. An account's orders must all
 * be in one shard.
 */
final class OrdersExpectation implements Example.Expectation {
    private final Json<Order> json = Json.of(Order.class);
    private final Map<String, LedgerRow> ledger = new TreeMap<>();
    private final Map<String, BalanceRow> balances = new TreeMap<>();

    @Override
    public void add(byte[] data) {
        Order order;
        try {
            order = json.deserialize(data);
        } catch (IOException undecodable) {
            return;
        }
        BalanceRow before = balances.getOrDefault(order.account(), new BalanceRow(order.account(), 0, 0, 0));
        long moved = before.balanceCents() + order.cents();
        boolean rejected = moved < 0;
        long balance = rejected ? before.balanceCents() : moved;
        LedgerRow row = new LedgerRow(
                order.account(),
                order.id(),
                order.given().toString(),
                order.cents(),
                rejected ? "rejected" : "accepted",
                balance);
        ledger.put(key(row), row);
        balances.put(
                order.account(),
                new BalanceRow(
                        order.account(),
                        balance,
                        before.accepted() + (rejected ? 0 : 1),
                        before.rejected() + (rejected ? 1 : 0)));
    }

    @Override
    public OrdersBoard board() {
        return new OrdersBoard(List.copyOf(ledger.values()), List.copyOf(balances.values()));
    }

    @Override
    public List<String> differences(Example.Board board, long watermark) {
        OrdersBoard actual = (OrdersBoard) board;
        List<String> differences = new ArrayList<>();
        differences(ledger, byKey(actual.ledger(), OrdersExpectation::key), differences);
        differences(balances, byKey(actual.balances(), BalanceRow::account), differences);
        return differences;
    }

    private static <T> Map<String, T> byKey(List<T> rows, Function<T, String> key) {
        return rows.stream().collect(Collectors.toMap(key, row -> row, (one, other) -> other, TreeMap::new));
    }

    private static <T> void differences(Map<String, T> expected, Map<String, T> actual, List<String> differences) {
        expected.forEach((key, row) -> {
            T found = actual.get(key);
            if (found == null) {
                differences.add(key + ": no row, expected " + row);
            } else if (!found.equals(row)) {
                differences.add(key + ": " + found + ", expected " + row);
            }
        });
        actual.forEach((key, row) -> {
            if (!expected.containsKey(key)) {
                differences.add(key + ": " + row + ", expected no row");
            }
        });
    }

    private static String key(LedgerRow row) {
        return row.account() + " " + row.order();
    }
}
