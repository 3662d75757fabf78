package io.millrace.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimeWindowTest {
    @Test
    void textIsReadAgain() {
        long start = Instant.parse("2001-01-31T00:00:00Z").toEpochMilli();
        TimeWindow day = new TimeWindow(start, start + 86_400_000);
        assertThat(day).hasToString("2001-01-31T00:00:00Z/2001-02-01T00:00:00Z");
        assertThat(TimeWindow.parse(day.toString())).isEqualTo(day).hasSameHashCodeAs(day);
        TimeWindow far = new TimeWindow(-8_640_000_000_000_000L, 8_640_000_000_000_001L);
        assertThat(TimeWindow.parse(far.toString())).isEqualTo(far);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/", "2001-01-31T00:00:00Z", "2001-01-31T00:00:00Z/x"})
    void otherTextIsRefused(String text) {
        assertThatThrownBy(() -> TimeWindow.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + text + "' is no window");
    }

    @Test
    void windowsThatTouchIntersect() {
        TimeWindow window = new TimeWindow(10, 20);
        assertThat(window.intersects(new TimeWindow(20, 30))).isTrue();
        assertThat(window.intersects(new TimeWindow(0, 10))).isTrue();
        assertThat(window.intersects(new TimeWindow(21, 30))).isFalse();
        assertThat(window.intersects(new TimeWindow(0, 9))).isFalse();
        assertThat(window.cover(new TimeWindow(0, 15))).isEqualTo(new TimeWindow(0, 20));
        assertThat(window.maxTimestamp()).isEqualTo(19);
        assertThatThrownBy(() -> new TimeWindow(5, 5)).hasMessageContaining("holds nothing");
    }
}
