package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {
    @ParameterizedTest
    @CsvSource({
        "2h, PT2H",
        "1d12h, PT36H",
        "90m, PT1H30M",
        "30s, PT30S",
        "500ms, PT0.5S",
        "0s, PT0S",
        "2H, PT2H",
        "PT2H, PT2H",
        "pt1h30m, PT1H30M",
        "P1D, P1D"
    })
    void aDurationIsReadAsPeopleWriteIt(String text, String expected) {
        assertThat(DurationText.parse("--for", text)).isEqualTo(Duration.parse(expected));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "2", "h", "2 h", "2h!", "2w", "99999999999999999999h", "P1Y", "1.5h"})
    void whatIsNoneIsRefusedWithExamples(String text) {
        assertThatThrownBy(() -> DurationText.parse("--for", text))
                .isInstanceOf(CommandFailure.class)
                .hasMessage(
                        "--for is '" + text + "'; a duration such as 2h, 1d12h, 90m, 30s, 500ms or PT2H is expected.");
    }

    @Test
    void timeDoesNotGoBack() {
        assertThatThrownBy(() -> DurationText.parse("--for", "PT-2H"))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("--for is 'PT-2H'; it must not be negative.");
    }
}
