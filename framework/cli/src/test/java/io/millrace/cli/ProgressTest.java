package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final StringWriter out = new StringWriter();
    private long nanos = 1_000;

    @Test
    void elsewhereThereIsALineEveryTwoSeconds() {
        Progress progress = progress(false, OptionalLong.of(20_000));
        progress.update(1);
        pass(Duration.ofSeconds(2));
        progress.update(5_000);
        pass(Duration.ofMillis(1_900));
        progress.update(9_000);
        pass(Duration.ofMillis(6_100));
        progress.finish(20_000);
        assertThat(out.toString().lines())
                .containsExactly(
                        "publishing  25 %  5,000 of 20,000 records, 2,500 records/s",
                        "publishing 100 %  20,000 of 20,000 records, 2,000 records/s");
    }

    @Test
    void onATerminalABarIsRedrawnInPlace() {
        Progress progress = progress(true, OptionalLong.of(10));
        pass(Duration.ofMillis(500));
        progress.update(5);
        pass(Duration.ofMillis(50));
        progress.update(6);
        pass(Duration.ofMillis(450));
        progress.finish(10);
        assertThat(out)
                .hasToString("\rpublishing [###############...............]  50 %  5 of 10 records, 10 records/s"
                        + "\rpublishing [##############################] 100 %  10 of 10 records, 10 records/s"
                        + System.lineSeparator());
    }

    @Test
    void aShorterTextCoversTheLongerOne() {
        Progress progress = progress(true, OptionalLong.empty());
        pass(Duration.ofMillis(100));
        progress.update(1_000);
        pass(Duration.ofSeconds(10));
        progress.finish(1_000);
        assertThat(out)
                .hasToString("\rpublishing 1,000 records, 10,000 records/s\rpublishing 1,000 records, 99 records/s    "
                        + System.lineSeparator());
    }

    @Test
    void noWorkIsDoneWork() {
        Progress progress = progress(false, OptionalLong.of(0));
        pass(Duration.ofSeconds(1));
        progress.finish(0);
        assertThat(out.toString()).contains("100 %  0 of 0 records");
    }

    @Test
    void slowWorkDoesNotLookLikeNone() {
        Progress progress = progress(false, OptionalLong.of(4));
        pass(Duration.ofSeconds(10));
        progress.update(3);
        assertThat(out.toString()).contains("3 of 4 records, 0.3 records/s");
    }

    private Progress progress(boolean interactive, OptionalLong total) {
        Terminal terminal = new Terminal(new PrintWriter(out), new PrintWriter(out), interactive);
        return new Progress(terminal, "publishing", "records", total, () -> nanos);
    }

    private void pass(Duration time) {
        nanos += time.toNanos();
    }
}
