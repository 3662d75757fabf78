package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RunSummaryTest {
    @Test
    void itTellsWhatWasDoneAndWhatThatWouldCost() {
        List<String> lines = summary(20_000, null).lines(List.of(new Example.Board.Fact("board", "6,901 rows")));
        assertThat(lines)
                .containsExactly(
                        "Summary of flights on the embedded AWS",
                        "  published              20,000 records, 3 broken lines passed over",
                        "  records                20,000 in 8.0 s, 2,500 records/s",
                        "  batches                42",
                        "  redeliveries           1,500 records",
                        "  duplicates suppressed  7",
                        "  conflicts              9",
                        "  dead letters           1",
                        "  timers fired           6,901, with batches and in 17 ticks",
                        "  late, dropped          5",
                        "  DynamoDB requests      6,000, 300.0 per 1,000 records",
                        "  write units            40,000, 2,000.0 per 1,000 records; refused writes not counted",
                        "  read units             8,000, 400.0 per 1,000 records",
                        "  estimated cost         $0.0263, $1.31 a million records: DynamoDB requests, Lambda requests and"
                                + " Kinesis puts (us-east-1, on demand, 2025)",
                        "  last failed batch      shardId-000000000003: timed out after 60 s",
                        "  board                  6,901 rows");
    }

    @Test
    void withChaosItTellsWhatWasInjected() {
        Map<String, Long> injected = new TreeMap<>(Map.of("zombie", 2L, "throttle", 1_100L, "crash before", 0L));
        assertThat(summary(10, injected).lines(List.of()))
                .contains("  injected faults        throttle 1,100, zombie 2");
        assertThat(summary(10, Map.of()).lines(List.of())).contains("  injected faults        none");
    }

    @Test
    void anEmptyRunDividesByNothing() {
        assertThat(summary(0, null).lines(List.of()))
                .contains("  records                0 in 8.0 s, 0 records/s", "  DynamoDB requests      6,000");
    }

    @Test
    void theCostIsTheSumOfItsParts() {
        assertThat(new CostEstimate(1_000_000, 0, 0, 0).dollars()).isEqualTo(0.125);
        assertThat(new CostEstimate(0, 1_000_000, 0, 0).dollars()).isEqualTo(0.625);
        assertThat(new CostEstimate(0, 0, 1_000_000, 0).dollars()).isEqualTo(0.20);
        assertThat(new CostEstimate(0, 0, 0, 1_000_000).dollars()).isEqualTo(0.014);
    }

    private static RunSummary summary(long records, @Nullable Map<String, Long> injected) {
        return new RunSummary(
                "flights",
                "the embedded AWS",
                20_000,
                3,
                records,
                Duration.ofSeconds(8),
                42,
                1_500,
                7,
                9,
                1,
                6_901,
                17,
                5,
                6_000,
                8_000,
                40_000,
                "shardId-000000000003: timed out after 60 s",
                injected);
    }
}
