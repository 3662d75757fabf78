package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.functions.orders.BalanceRow;
import io.millrace.functions.orders.LedgerRow;
import io.millrace.functions.orders.Order;
import io.millrace.serde.Json;
import io.millrace.time.WatermarkStrategy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The orders, as their users run them. */
class RunOrdersTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void allOrdersAreInTheLedgerAlsoUnderChaos() throws IOException {
        Path plain = folder.resolve("plain.csv");
        Commands run = Commands.run("run", "orders", "--output", plain.toString());
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .contains("processing 100 %  10,000 of 10,000 records")
                .contains("ledger                 10,000 rows: ")
                .contains("the rows are what the stream says");
        List<String> lines = Files.readAllLines(plain);
        assertThat(lines).hasSize(1 + 10_000);
        assertThat(lines.get(0)).isEqualTo(OrdersBoard.HEADER);
        assertThat(lines.stream().filter(line -> line.contains(",rejected,")).count())
                .isBetween(100L, 5_000L);

        Path chaotic = folder.resolve("chaotic.csv");
        Commands chaos = Commands.run("run", "orders", "--output", chaotic.toString(), "--chaos", "7");
        assertThat(chaos.exitCode()).as(chaos.toString()).isZero();
        assertThat(chaotic).hasSameBinaryContentAs(plain);
    }

    @Test
    void ordersOfAFileOfOnesOwnAreTaken() throws IOException {
        Path file = Files.write(
                folder.resolve("orders.jsonl"),
                List.of(
                        "{\"id\":\"o-1\",\"account\":\"a\",\"given\":\"2026-11-02T08:00:00Z\",\"cents\":500}",
                        "{\"id\":\"o-2\",\"account\":\"a\",\"given\":\"2026-11-02T08:00:01Z\",\"cents\":-700}",
                        "{\"id\":\"o-3\",\"account\":\"a\",\"given\":\"2026-11-02T08:00:02Z\",\"cents\":-120}",
                        "{\"id\":\"o-4\",\"account\":\"b\",\"given\":\"2026-11-02T08:00:03Z\",\"cents\":0}"));
        Path balances = folder.resolve("balances.csv");
        Commands run = Commands.run(
                "run",
                "orders",
                "--input",
                file.toString(),
                "--output",
                balances.toString(),
                "--table",
                "order-balances");
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.out())
                .contains("ledger                 3 rows: 2 accepted, 1 rejected")
                .contains("balances               1 accounts with 3.80 in all")
                .contains("dead letters           1");
        assertThat(balances).hasContent("account,accepted,balance_cents,rejected\na,2,380,1\n");
    }

    @Test
    void everyDifferenceIsNamed() {
        OrdersExpectation expectation = new OrdersExpectation();
        expectation.add(order("o-1", 500));
        expectation.add(order("o-2", -700));
        expectation.add("no order".getBytes(StandardCharsets.UTF_8));
        LedgerRow first = new LedgerRow("a", "o-1", "2026-11-02T08:00:00Z", 500, LedgerRow.ACCEPTED, 500);
        LedgerRow second = new LedgerRow("a", "o-2", "2026-11-02T08:00:00Z", -700, LedgerRow.REJECTED, 500);
        BalanceRow balance = new BalanceRow("a", 500, 1, 1);
        assertThat(expectation.board()).isEqualTo(new OrdersBoard(List.of(second, first), List.of(balance)));
        assertThat(expectation.differences(
                        new OrdersBoard(List.of(first, second), List.of(balance)), WatermarkStrategy.END_OF_INPUT))
                .isEmpty();
        assertThat(expectation.differences(
                        new OrdersBoard(List.of(first), List.of(new BalanceRow("a", 1_000, 2, 0), balance("b"))),
                        WatermarkStrategy.END_OF_INPUT))
                .containsExactly(
                        "a o-2: no row, expected " + second,
                        "a: " + new BalanceRow("a", 1_000, 2, 0) + ", expected " + balance,
                        "b: " + balance("b") + ", expected no row");
    }

    private static BalanceRow balance(String account) {
        return new BalanceRow(account, 0, 0, 1);
    }

    private static byte[] order(String id, long cents) {
        return Json.of(Order.class).serialize(new Order(id, "a", Instant.parse("2026-11-02T08:00:00Z"), cents));
    }
}
