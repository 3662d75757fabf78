package io.millrace.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.functions.orders.BalanceRow;
import io.millrace.functions.orders.LedgerRow;
import io.millrace.functions.orders.Orders;
import io.millrace.serde.Json;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The ledger, sorted by account and order, and the balances, sorted by account.
 *
 * @param ledger a row an order
 * @param balances a row an account
 */
record OrdersBoard(List<LedgerRow> ledger, List<BalanceRow> balances) implements Example.Board {
    static final String HEADER = "account,order,given,cents,status,balance_cents";

    private static final int ACCOUNTS_SHOWN = 3;

    OrdersBoard {
        ledger = ledger.stream()
                .sorted(Comparator.comparing(LedgerRow::account).thenComparing(LedgerRow::order))
                .toList();
        balances = balances.stream()
                .sorted(Comparator.comparing(BalanceRow::account))
                .toList();
    }

    static OrdersBoard of(ResultTables tables) {
        return new OrdersBoard(
                rows(tables.table(Orders.LEDGER_TABLE), LedgerRow.class),
                rows(tables.table(Orders.BALANCE_TABLE), BalanceRow.class));
    }

    private static <T> List<T> rows(ResultTable table, Class<T> type) {
        List<T> rows = new ArrayList<>();
        for (ObjectNode row : table.rows()) {
            try {
                rows.add(Json.mapper().treeToValue(row, type));
            } catch (JsonProcessingException e) {
                throw CommandFailure.failed(
                        "A row of the table " + table.name() + " is " + row + ", which is none of this pipeline: "
                                + e.getOriginalMessage() + ". Was the table written by something else?",
                        e);
            }
        }
        return rows;
    }

    /** The rows of the ledger. */
    @Override
    public int size() {
        return ledger.size();
    }

    /** The ledger: the balances follow from it. */
    @Override
    public String csv() {
        return ledger.stream()
                .map(row -> String.join(
                                ",",
                                row.account(),
                                row.order(),
                                row.given(),
                                Long.toString(row.cents()),
                                row.status(),
                                Long.toString(row.balanceCents()))
                        + "\n")
                .collect(Collectors.joining("", HEADER + "\n", ""));
    }

    @Override
    public List<Fact> facts() {
        List<Fact> facts = new ArrayList<>();
        long accepted = ledger.stream()
                .filter(row -> row.status().equals(LedgerRow.ACCEPTED))
                .count();
        facts.add(new Fact(
                "ledger",
                format("%,d rows: %,d accepted, %,d rejected", ledger.size(), accepted, ledger.size() - accepted)));
        facts.add(new Fact("balances", format("%,d accounts with %s in all", balances.size(), money(sum(balances)))));
        balances.stream()
                .sorted(Comparator.comparing(BalanceRow::balanceCents)
                        .reversed()
                        .thenComparing(BalanceRow::account))
                .limit(ACCOUNTS_SHOWN)
                .map(account -> new Fact(
                        facts.size() == 2 ? "highest" : "",
                        format(
                                "%s  %12s after %,5d orders, %,4d of them rejected",
                                account.account(),
                                money(account.balanceCents()),
                                account.accepted() + account.rejected(),
                                account.rejected())))
                .forEachOrdered(facts::add);
        return List.copyOf(facts);
    }

    private static long sum(Collection<BalanceRow> balances) {
        return balances.stream().mapToLong(BalanceRow::balanceCents).sum();
    }

    private static String money(long cents) {
        return format("%,d.%02d", cents / 100, cents % 100);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
