package io.millrace.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.MillraceException;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FunctionSettingsTest {
    /** A pipeline as Lambda would load it by name. */
    public static final class Loadable implements PipelineDefinition {
        @Override
        public void define(PipelineBuilder pipeline) {
            pipeline.fromKinesis("events", Json.of(Counting.TotalsRow.class))
                    .keyBy(Counting.TotalsRow::key)
                    .reduce((before, row) -> row)
                    .uid("latest")
                    .sinkTo(DynamoDbSink.rows(Counting.TABLE, Counting.TotalsRow.class));
        }
    }

    private static FunctionSettings settings(String... namesAndValues) {
        Map<String, String> environment = new java.util.HashMap<>(Map.of("PATH", "/bin"));
        for (int i = 0; i < namesAndValues.length; i += 2) {
            environment.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return new FunctionSettings(environment);
    }

    @Test
    void aMisspelledVariableIsRefusedWithTheKnownOnes() {
        assertThatThrownBy(() -> settings("MILLRACE_PIPLINE", "x"))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("MILLRACE_PIPLINE")
                .hasMessageContaining("MILLRACE_PIPELINE");
    }

    @Test
    void thePipelineMustBeNamedAndBeOne() {
        assertThatThrownBy(() -> settings().pipeline()).hasMessageContaining("MILLRACE_PIPELINE is not set");
        assertThatThrownBy(() -> settings("MILLRACE_PIPELINE", " ").pipeline())
                .hasMessageContaining("MILLRACE_PIPELINE is not set");
        assertThatThrownBy(() -> settings("MILLRACE_PIPELINE", "com.example.No").pipeline())
                .hasMessageContaining("com.example.No")
                .hasMessageContaining("cannot be loaded");
        assertThatThrownBy(
                        () -> settings("MILLRACE_PIPELINE", "java.lang.Object").pipeline())
                .hasMessageContaining("does not implement PipelineDefinition");
        assertThat(settings("MILLRACE_PIPELINE", " " + Loadable.class.getName() + " ")
                        .pipeline())
                .isInstanceOf(Loadable.class);
    }

    @Test
    void tablesHaveTheNamesThatAreSetOrThePipelines() {
        var tables = settings("MILLRACE_STATE_TABLE", "cells").tables("board");

        assertThat(tables.control()).isEqualTo("board-control");
        assertThat(tables.state()).isEqualTo("cells");
        assertThat(tables.deadLetters()).isEqualTo("board-dead-letters");
    }

    @Test
    void decisionsAreListsWithCommas() {
        var decisions = settings("MILLRACE_ACCEPT_GAP", " a/s@1..3 , b/s@beginning..2,", "MILLRACE_ACCEPT_TOPOLOGY", "")
                .decisions();

        assertThat(decisions.acceptedGaps()).containsExactlyInAnyOrder("a/s@1..3", "b/s@beginning..2");
        assertThat(decisions.acceptedTopologies()).isEmpty();
    }
}
