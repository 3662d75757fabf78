package io.millrace.aws;

import static io.millrace.aws.ShellFixture.failedAt;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.Collector;
import io.millrace.ErrorPolicy;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.OutputTag;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.StageStream;
import io.millrace.local.Fault;
import io.millrace.local.FaultInjector;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Side outputs through whole invocations: their rows are as exactly-once as all others. */
class SideOutputTest {
    private static final int REQUESTS_MAX = 100;
    private static final int POISON = 13;
    private static final OutputTag<Integer> ODD = new OutputTag<>("odd", Integer.class);
    private static final OutputTag<Ordered> EVEN = new OutputTag<>("even", Ordered.class);

    /** A row with the place of its value among the key's. */
    record Ordered(@PartitionKey String key, @SortKey int place, int value) {}

    /** Numbers divided by a side output each for the odd and the even ones; the main output counts them all. */
    static final class Dividing implements PipelineDefinition {
        private final ErrorPolicy policy;

        Dividing(ErrorPolicy policy) {
            this.policy = policy;
        }

        @Override
        public void define(PipelineBuilder pipeline) {
            StageStream<Counting.TotalsRow> totals = pipeline.fromKinesis("numbers", Json.of(Integer.class))
                    .keyBy(number -> "all")
                    .process(new Divide())
                    .uid("divide")
                    .errorPolicy(policy)
                    .sinkTo(DynamoDbSink.rows("number-totals", Counting.TotalsRow.class));
            totals.getSideOutput(ODD)
                    .map(SideOutputTest::oddRow)
                    .sinkTo(DynamoDbSink.rows("odd-numbers", Ordered.class));
            totals.getSideOutput(EVEN).sinkTo(DynamoDbSink.rows("even-numbers", Ordered.class));
        }
    }

    private static Ordered oddRow(int place) {
        return new Ordered("all", place, 1);
    }

    private static final class Divide extends KeyedProcessFunction<String, Integer, Counting.TotalsRow> {
        private @Nullable ValueState<Integer> count;

        @Override
        public void open(OpenContext openContext) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Integer.class));
        }

        @Override
        public void processElement(Integer number, Context ctx, Collector<Counting.TotalsRow> out) {
            ValueState<Integer> state = Objects.requireNonNull(count);
            int place = state.value() == null ? 1 : state.value() + 1;
            state.update(place);
            if (number % 2 == 1) {
                ctx.output(ODD, place);
            } else {
                ctx.output(EVEN, new Ordered(ctx.getCurrentKey(), place, number));
            }
            if (number == POISON) {
                throw new IllegalStateException("poison");
            }
            out.collect(new Counting.TotalsRow(ctx.getCurrentKey(), place, number));
        }
    }

    private static ShellFixture fixture(ErrorPolicy policy) {
        return new ShellFixture(new Dividing(policy), 1);
    }

    private static List<Integer> places(ShellFixture fixture, String table) {
        return fixture.scan(table).stream()
                .map(row -> row.path("place").asInt())
                .sorted()
                .toList();
    }

    private static int count(ShellFixture fixture) {
        List<ObjectNode> rows = fixture.scan("number-totals");
        return rows.isEmpty() ? 0 : rows.get(0).path("count").asInt();
    }

    @Test
    void rowsOfSideOutputsAreExactlyOnceWhereverTheInvocationDies() {
        for (int requests = 1; requests <= REQUESTS_MAX; requests++) {
            try (ShellFixture fixture = fixture(ErrorPolicy.fail())) {
                fixture.put(0, "1", "2", "3", "4", "6");
                Fiber<StreamsEventResponse> dying = fixture.fiber(0, 0, 4);
                boolean ended = dying.run(requests);
                if (!ended) {
                    dying.kill();
                }
                assertThat(fixture.scan("odd-numbers").size()
                                + fixture.scan("even-numbers").size())
                        .as("committed with the state, after " + requests)
                        .isEqualTo(count(fixture));

                fixture.process(0, 0, 5);

                assertThat(places(fixture, "odd-numbers")).containsExactly(1, 3);
                assertThat(places(fixture, "even-numbers")).containsExactly(2, 4, 5);
                assertThat(count(fixture)).isEqualTo(5);
                if (ended) {
                    return;
                }
            }
        }
        throw new AssertionError("the invocation did not end within " + REQUESTS_MAX + " requests");
    }

    @Test
    void aLostResponseAndARedeliveryPutOutNothingTwice() {
        try (ShellFixture fixture = fixture(ErrorPolicy.fail())) {
            fixture.put(0, "1", "2", "3");
            fixture.setFaults(FaultInjector.scripted()
                    .inject("DynamoDB.TransactWriteItems", 1, 2, Fault.LOST_RESPONSE)
                    .build());
            fixture.process(0, 0, 2);
            fixture.setFaults(null);
            fixture.process(0, 0, 3);
            fixture.process(0, 0, 3);

            assertThat(places(fixture, "odd-numbers")).containsExactly(1, 3);
            assertThat(places(fixture, "even-numbers")).containsExactly(2);
        }
    }

    @Test
    void sideOutputsOfARecordThatIsGivenUpAreDiscarded() {
        try (ShellFixture fixture = fixture(ErrorPolicy.deadLetter())) {
            fixture.put(0, "1", Integer.toString(POISON), "3");

            fixture.process(0, 0, 3);

            assertThat(fixture.deadLetters()).hasSize(1);
            assertThat(places(fixture, "odd-numbers")).containsExactly(1, 2);
            assertThat(count(fixture)).isEqualTo(2);
        }
    }

    @Test
    void sideOutputsOfARecordThatFailsAreDiscardedAndThoseBeforeItCommitted() {
        try (ShellFixture fixture = fixture(ErrorPolicy.fail())) {
            fixture.put(0, "1", Integer.toString(POISON), "3");

            assertThat(failedAt(fixture.invoke(0, 0, 3))).isEqualTo(fixture.sequenceNumber(0, 1));

            assertThat(places(fixture, "odd-numbers")).containsExactly(1);
        }
    }
}
