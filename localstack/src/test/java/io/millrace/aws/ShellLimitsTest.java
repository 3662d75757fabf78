package io.millrace.aws;

import static io.millrace.aws.Counting.event;
import static io.millrace.aws.ShellFixture.errorOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.ErrorPolicy;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.local.internal.CallersThread;
import io.millrace.serde.Json;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.SdkResponse;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;

/** The shell at the ends of its time, its transactions and its patience. */
class ShellLimitsTest {
    private static final int DELIVERIES_MAX = 12;
    private static final int TO_THE_END = 10_000;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40})
    void whereverItsTimeEndsAnInvocationMakesProgressAndLosesNothing(int question) {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            int records = 8;
            IntStream.range(0, records).forEach(i -> fixture.put(0, event("k" + i % 3, 1 << i)));
            int from = 0;
            for (int delivery = 1; from < records; delivery++) {
                assertThat(delivery).as("deliveries").isLessThanOrEqualTo(DELIVERIES_MAX);
                StreamsEventResponse response = fixture.function()
                        .handleRequest(fixture.event(0, from, records), ChaosContext.endingAtQuestion(question));
                from = response.getBatchItemFailures().isEmpty()
                        ? records
                        : indexOf(
                                fixture, response.getBatchItemFailures().get(0).getItemIdentifier());
            }

            assertThat(fixture.scan(Counting.TABLE).stream()
                            .mapToInt(row -> row.path("sum").asInt())
                            .sum())
                    .isEqualTo((1 << records) - 1);
        }
    }

    private static int indexOf(ShellFixture fixture, String sequenceNumber) {
        return IntStream.range(0, fixture.records(0).size())
                .filter(i -> fixture.sequenceNumber(0, i).equals(sequenceNumber))
                .findFirst()
                .orElseThrow();
    }

    private static String mishap(String id) {
        return new String(
                Json.of(Mishaps.Event.class).serialize(new Mishaps.Event(id, List.of("k"), Mishaps.Kind.NOTHING)),
                java.nio.charset.StandardCharsets.UTF_8);
    }

    @Test
    void aConflictBetweenTheUnitsOfOneKeyLosesNoRecordAndRepeatsNone() throws Exception {
        Mishaps pipeline = new Mishaps(ErrorPolicy.fail(), ErrorPolicy.deadLetter());
        try (ShellFixture fixture = new ShellFixture(pipeline, 2)) {
            int records = 250;
            IntStream.range(0, records).forEach(i -> fixture.put(0, mishap("0." + i)));
            fixture.put(1, mishap("1.0"));
            Fiber<StreamsEventResponse> divided = fixture.fiber(0, 0, records);
            while (fixture.scan(Mishaps.TABLE).isEmpty()) {
                divided.run(1);
            }
            int rowsOfFirstUnit = fixture.scan(Mishaps.TABLE).size();
            fixture.process(1, 0, 1);
            divided.run(TO_THE_END);

            assertThat(divided.thrown()).isNull();
            assertThat(rowsOfFirstUnit).isLessThan(records);
            List<ObjectNode> rows = fixture.scan(Mishaps.TABLE);
            assertThat(rows).hasSize(records + 2);
            assertThat(rows.stream().map(row -> row.path("count").asInt()).distinct())
                    .as("each record has a place of its own in the order")
                    .hasSize(records + 1);
        }
    }

    @Test
    void keysThatStayUnprocessedFailTheBatchWithANamedErrorAfterABoundedNumberOfAttempts() {
        ExecutionInterceptor unprocessed = new ExecutionInterceptor() {
            @Override
            public SdkResponse modifyResponse(Context.ModifyResponse context, ExecutionAttributes attributes) {
                return context.request() instanceof BatchGetItemRequest request
                        ? BatchGetItemResponse.builder()
                                .responses(Map.of())
                                .unprocessedKeys(request.requestItems())
                                .build()
                        : context.response();
            }
        };
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1));
            DynamoDbClient client = fixture.dynamoDbWith(unprocessed);
            MillraceFunction function = fixture.function(Counting.harmless(), builder -> builder.dynamoDb(client));

            assertThat(errorOf(fixture.invoke(function, 0, 0, 1)))
                    .contains("Loading 1 cells of table counting-state")
                    .contains("12 attempts");
        }
    }

    @Test
    void oneInstanceRefusesASecondInvocationAtTheSameTime() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1));
            MillraceFunction function = fixture.function(
                    Counting.harmless(), builder -> builder.ioExecutor(new IoExecutor(new CallersThread())));
            Fiber<StreamsEventResponse> running =
                    new Fiber<>(() -> function.handleRequest(fixture.event(0, 0, 1), ChaosContext.endless()));
            running.run(2);

            assertThatThrownBy(() -> function.handleRequest(fixture.event(0, 0, 1), ChaosContext.endless()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("already runs an invocation");
            running.run(TO_THE_END);
            assertThat(running.thrown()).isNull();
            assertThat(Objects.requireNonNull(function.handleRequest(fixture.event(0, 0, 1), ChaosContext.endless()))
                            .getBatchItemFailures())
                    .isEmpty();
        }
    }
}
