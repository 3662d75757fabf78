package io.millrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputTagTest {
    @Test
    void carriesItsIdAndItsClass() {
        OutputTag<String> tag = new OutputTag<>("late", String.class);

        assertThat(tag.getId()).isEqualTo("late");
        assertThat(tag.getType()).isEqualTo(String.class);
        assertThat(tag).hasToString("OutputTag(late, java.lang.String)");
    }

    @Test
    void isEqualById() {
        OutputTag<String> tag = new OutputTag<>("late", String.class);

        assertThat(tag)
                .isEqualTo(new OutputTag<>("late", Long.class))
                .hasSameHashCodeAs(new OutputTag<>("late", Long.class))
                .isNotEqualTo(new OutputTag<>("later", String.class))
                .isNotEqualTo("late");
    }

    @Test
    void primitiveTypeIsItsWrapper() {
        assertThat(new OutputTag<>("count", int.class).getType()).isEqualTo(Integer.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " "})
    void blankIdIsRefused(String id) {
        assertThatThrownBy(() -> new OutputTag<>(id, String.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The id of an output tag is '" + id + "'. Give it a name.");
    }
}
