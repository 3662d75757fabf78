package io.millrace.aws;

import static io.millrace.aws.Counting.event;
import static io.millrace.aws.ShellFixture.failedAt;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.Collector;
import io.millrace.ErrorPolicy;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** State that becomes too large for an item, which is known only when a key's unit is complete. */
class SwellingTest {
    private static final int TOO_LARGE = 4_200_000;

    /** Too large even for compression, and so quickly refused. */
    private static final String SWOLLEN = "x".repeat(TOO_LARGE);

    /** A pipeline whose state has as many characters as the event says, 1 or too many. */
    static final class Swelling implements PipelineDefinition {
        private final ErrorPolicy policy;

        Swelling(ErrorPolicy policy) {
            this.policy = policy;
        }

        @Override
        public void define(PipelineBuilder pipeline) {
            pipeline.fromKinesis("swellings", Json.of(Counting.Event.class))
                    .keyBy(event -> event.keys().get(0))
                    .process(new Swell())
                    .uid("swell")
                    .errorPolicy(policy)
                    .sinkTo(DynamoDbSink.rows("swelling-rows", Counting.TotalsRow.class));
        }
    }

    private static final class Swell extends KeyedProcessFunction<String, Counting.Event, Counting.TotalsRow> {
        private @Nullable ValueState<String> text;

        @Override
        public void open(OpenContext openContext) {
            text = getRuntimeContext().getState(new ValueStateDescriptor<>("text", String.class));
        }

        @Override
        public void processElement(Counting.Event event, Context ctx, Collector<Counting.TotalsRow> out) {
            Objects.requireNonNull(text).update(event.value() == TOO_LARGE ? SWOLLEN : "x");
        }
    }

    /** The keys' too large records lie in the opposite order of the keys' first records. */
    private static int putSwellingKeys(ShellFixture fixture) {
        int keys = 70;
        IntStream.range(0, keys).forEach(i -> fixture.put(0, event("k" + i, 1)));
        IntStream.range(0, keys).forEach(i -> fixture.put(0, event("k" + (keys - 1 - i), TOO_LARGE)));
        return keys;
    }

    @Test
    void manyKeysThatSwellInOneBatchAreGivenUpInOneDelivery() {
        try (ShellFixture fixture = new ShellFixture(new Swelling(ErrorPolicy.deadLetter()), 1)) {
            int keys = putSwellingKeys(fixture);

            fixture.process(0, 0, 2 * keys);

            assertThat(fixture.deadLetters()).hasSize(keys);
        }
    }

    @Test
    void theFirstRecordThatSwellsIsTheOneThatIsNamed() {
        try (ShellFixture fixture = new ShellFixture(new Swelling(ErrorPolicy.fail()), 1)) {
            int keys = putSwellingKeys(fixture);

            assertThat(failedAt(fixture.invoke(0, 0, 2 * keys))).isEqualTo(fixture.sequenceNumber(0, keys));
        }
    }
}
