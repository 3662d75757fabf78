package io.millrace.local.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OutputTailTest {
    @Test
    void onlyTheLastLinesAreKeptAndLongOnesAreCut() {
        OutputTail tail = new OutputTail();
        for (int i = 1; i <= OutputTail.LINES_MAX; i++) {
            tail.add("line " + i);
        }
        tail.add("x".repeat(OutputTail.LINE_CHARACTERS_MAX + 5));
        assertThat(tail.text())
                .startsWith("line 2\n")
                .endsWith("\n" + "x".repeat(OutputTail.LINE_CHARACTERS_MAX) + "...");
    }
}
