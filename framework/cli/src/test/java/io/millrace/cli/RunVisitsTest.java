package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.functions.visits.Click;
import io.millrace.functions.visits.VisitRow;
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

/** The sessions, as their users run them. */
class RunVisitsTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void allVisitsAreWrittenAlsoUnderChaosAndWithOtherShards() throws IOException {
        Path plain = folder.resolve("plain.csv");
        Commands run = Commands.run("run", "visits", "--output", plain.toString());
        assertThat(run.exitCode()).as(run.toString()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out()).contains("late, dropped          0").contains("the rows are what the stream says");
        assertThat(Files.readAllLines(plain)).hasSizeGreaterThan(1_000).startsWith(VisitsBoard.HEADER);

        Path chaotic = folder.resolve("chaotic.csv");
        Commands chaos = Commands.run("run", "visits", "--shards", "7", "--output", chaotic.toString(), "--chaos", "5");
        assertThat(chaos.exitCode()).as(chaos.toString()).isZero();
        assertThat(chaotic).hasSameBinaryContentAs(plain);
    }

    @Test
    void everyDifferenceIsNamedAndOpenVisitsAreNone() {
        VisitsExpectation expectation = new VisitsExpectation();
        expectation.add(click("/help", "08:30:00"));
        expectation.add(click("/", "08:00:00"));
        expectation.add(click("/search", "09:00:01"));
        expectation.add("no click".getBytes(StandardCharsets.UTF_8));
        VisitRow first = new VisitRow("ada", "2025-11-02T08:00:00Z", "2025-11-02T08:30:00Z", 2, "/", "/help");
        VisitRow second = new VisitRow("ada", "2025-11-02T09:00:01Z", "2025-11-02T09:00:01Z", 1, "/search", "/search");
        assertThat(expectation.board()).isEqualTo(new VisitsBoard(List.of(first, second)));
        assertThat(expectation.differences(new VisitsBoard(List.of(second, first)), WatermarkStrategy.END_OF_INPUT))
                .isEmpty();

        long firstIsOver = Instant.parse("2025-11-02T09:00:00Z").toEpochMilli() - 1;
        assertThat(expectation.differences(new VisitsBoard(List.of(first)), firstIsOver))
                .isEmpty();
        assertThat(expectation.differences(new VisitsBoard(List.of(first, second)), firstIsOver - 1))
                .containsExactly(
                        "ada 2025-11-02T08:00:00Z: " + first + ", expected no row",
                        "ada 2025-11-02T09:00:01Z: " + second + ", expected no row");
        assertThat(expectation.differences(new VisitsBoard(List.of()), firstIsOver))
                .containsExactly("ada 2025-11-02T08:00:00Z: no row, expected " + first);
    }

    private static byte[] click(String page, String time) {
        return Json.of(Click.class).serialize(new Click("ada", page, Instant.parse("2025-11-02T" + time + "Z")));
    }
}
