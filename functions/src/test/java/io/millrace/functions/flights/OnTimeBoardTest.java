package io.millrace.functions.flights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.internal.plan.PipelinePlan;
import io.millrace.serde.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class OnTimeBoardTest {
    private static final FlightReport REPORT = new FlightReport(
            Instant.parse("2001-01-01T01:43:00Z"), Instant.parse("2001-01-01T01:39:00Z"), "LAS", "PHX", 4, 256);

    @Test
    void thePipelineIsFoundByItsName() {
        assertThat(ServiceLoader.load(PipelineDefinition.class))
                .anySatisfy(definition -> assertThat(definition.name()).isEqualTo("flights"));
        PipelinePlan plan = PipelineBuilder.plan(new OnTimeBoard());
        assertThat(plan.stage("on-time").source().stream()).isEqualTo("flights");
    }

    @Test
    void aReportIsReadableJson() throws Exception {
        Json<FlightReport> json = Json.of(FlightReport.class);
        String text = new String(json.serialize(REPORT), StandardCharsets.UTF_8);
        assertThat(text)
                .isEqualTo("{\"published\":\"2001-01-01T01:43:00Z\",\"scheduled\":\"2001-01-01T01:39:00Z\","
                        + "\"origin\":\"LAS\",\"destination\":\"PHX\",\"delay_minutes\":4,\"distance_miles\":256}");
        assertThat(json.deserialize(text.getBytes(StandardCharsets.UTF_8))).isEqualTo(REPORT);
    }

    @Test
    void aReportWithoutItsDelayIsUndecodable() {
        byte[] incomplete =
                "{\"published\":\"2001-01-01T01:43:00Z\",\"scheduled\":\"2001-01-01T01:39:00Z\",\"origin\":\"LAS\"}"
                        .getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> Json.of(FlightReport.class).deserialize(incomplete))
                .hasMessageContaining("destination");
    }

    @Test
    void aFlightIsDelayedFromFifteenMinutesOnAndEarlyOnesCountNegative() {
        OnTimeTally tally = OnTimeTally.NONE.plus(14).plus(15).plus(-20);
        assertThat(tally).isEqualTo(new OnTimeTally(3, 1, 9));
    }
}
