package io.millrace.aws;

import static io.millrace.aws.Counting.event;
import static io.millrace.aws.ShellFixture.errorOf;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Invocations across a change of the pipeline's control item. */
class GenerationTest {
    private static final Map<String, AttributeValue> CONTROL_KEY =
            Map.of("pk", AttributeValue.fromS("pipeline#counting"), "sk", AttributeValue.fromS("control"));
    private static final int TO_THE_END = 10_000;

    private static void setControl(ShellFixture fixture, String attribute, AttributeValue value) {
        fixture.dynamoDb()
                .updateItem(request -> request.tableName("counting-control")
                        .key(CONTROL_KEY)
                        .updateExpression("SET #a = :v")
                        .expressionAttributeNames(Map.of("#a", attribute))
                        .expressionAttributeValues(Map.of(":v", value)));
    }

    private static ObjectNode row(ShellFixture fixture) {
        return Objects.requireNonNull(fixture.scanBy("key", Counting.TABLE).get("k"));
    }

    @Test
    void aNewGenerationStartsAfreshAndAZombieOfTheOldOneCannotOverwriteItsRows() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1), event("k", 2), event("k", 3));
            fixture.process(0, 0, 1);
            Fiber<StreamsEventResponse> zombie = fixture.fiber(0, 1, 2);
            // Control, lane, iterator, read, begin, load: now it is about to commit.
            zombie.run(6);
            setControl(fixture, "generation", AttributeValue.fromN("2"));

            fixture.process(0, 0, 3);
            zombie.run(TO_THE_END);

            assertThat(zombie.thrown()).hasMessageContaining("newer generation");
            assertThat(row(fixture).path("sum").asInt()).isEqualTo(6);
            assertThat(row(fixture).path("_generation").asInt()).isEqualTo(2);
            assertThat(fixture.scan("counting-state")).hasSize(2);
        }
    }

    @Test
    void aNewGenerationBeginsAtTheBeginningOfTheLane() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1), event("k", 2));
            fixture.process(0, 0, 1);
            setControl(fixture, "generation", AttributeValue.fromN("2"));

            assertThat(errorOf(fixture.invoke(0, 1, 2))).contains("its beginning");
            fixture.process(0, 0, 2);

            assertThat(row(fixture).path("sum").asInt()).isEqualTo(3);
        }
    }

    @Test
    void aStoppedPipelineRefusesBatchesWithTheReason() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1), event("k", 2));
            fixture.process(0, 0, 1);
            setControl(fixture, "stop_reason", AttributeValue.fromS("parallelization factor 4"));

            assertThat(errorOf(fixture.invoke(0, 1, 2))).contains("stopped").contains("parallelization factor 4");
            assertThat(row(fixture).path("sum").asInt()).isEqualTo(1);
        }
    }

    @Test
    void aStreamIsAppendedToTheSourcesOnceAndItsIndexNamesItsLanes() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1), event("k", 2));
            fixture.process(0, 0, 1);
            setControl(fixture, "sources", AttributeValue.fromL(java.util.List.of(AttributeValue.fromS("first"))));
            fixture.dynamoDb()
                    .scan(request -> request.tableName("counting-state"))
                    .items()
                    .forEach(cell -> fixture.dynamoDb()
                            .deleteItem(request -> request.tableName("counting-state")
                                    .key(Map.of("pk", Objects.requireNonNull(cell.get("pk"))))));
            fixture.process(0, 1, 2);
            fixture.process(0, 1, 2);

            ObjectNode control = fixture.scanBy("sk", "counting-control").get("control");
            assertThat(Objects.requireNonNull(control).path("sources").toString())
                    .isEqualTo("[\"first\",\"events\"]");
            assertThat(fixture.scan("counting-state").get(0).path("fence").has("1.0"))
                    .isTrue();
        }
    }
}
