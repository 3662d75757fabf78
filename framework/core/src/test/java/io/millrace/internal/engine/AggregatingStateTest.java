package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.AggregateFunction;
import io.millrace.MillraceException;
import io.millrace.ReduceFunction;
import io.millrace.RuntimeContext;
import io.millrace.serde.Json;
import io.millrace.state.AggregatingState;
import io.millrace.state.AggregatingStateDescriptor;
import io.millrace.state.ReducingState;
import io.millrace.state.ReducingStateDescriptor;
import io.millrace.state.ValueStateDescriptor;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Reducing and aggregating states. */
class AggregatingStateTest {
    private final StateProbe<ReducingState<Long>> sum = new StateProbe<>(context ->
            context.getReducingState(new ReducingStateDescriptor<>("sum", (a, b) -> a + b, Json.of(Long.class))));
    private final StateProbe<AggregatingState<Integer, String>> mean = new StateProbe<>(context ->
            context.getAggregatingState(new AggregatingStateDescriptor<>("mean", new Mean(), Mean.Tally.class)));

    /** The mean of numbers, in an accumulator that is changed in place. */
    static class Mean implements AggregateFunction<Integer, Mean.Tally, String> {
        static final class Tally {
            public int count;
            public long sum;
        }

        @Override
        public Tally createAccumulator() {
            return new Tally();
        }

        @Override
        public Tally add(Integer value, Tally tally) {
            tally.count++;
            tally.sum += value;
            return tally;
        }

        @Override
        public String getResult(Tally tally) {
            return tally.sum + "/" + tally.count;
        }

        @Override
        public Tally merge(Tally a, Tally b) {
            a.count += b.count;
            a.sum += b.sum;
            return a;
        }
    }

    @Test
    void addedValuesAreReduced() {
        sum.process(state -> {
            assertThat(state.get()).isNull();
            state.add(5L);
            assertThat(state.get()).isEqualTo(5);
        });
        sum.process(state -> {
            state.add(7L);
            state.add(-1L);
            assertThat(state.get()).isEqualTo(11);
        });
        assertThat(sum.item("sum")).isEqualTo("\"11\"");
        sum.process(state -> {
            state.clear();
            assertThat(state.get()).isNull();
        });
        assertThat(sum.cell().isTombstone()).isTrue();
    }

    @Test
    void addedElementsAreAggregated() {
        mean.process(state -> {
            assertThat(state.get()).isNull();
            state.add(5);
            assertThat(state.get()).isEqualTo("5/1");
        });
        mean.process(state -> {
            state.add(7);
            state.add(6);
            assertThat(state.get()).isEqualTo("18/3");
        });
        assertThat(mean.item("mean")).isEqualTo("\"{\\\"count\\\":3,\\\"sum\\\":18}\"");
        mean.process(state -> {
            state.clear();
            assertThat(state.get()).isNull();
        });
        assertThat(mean.cell().isTombstone()).isTrue();
    }

    @Test
    void reducedObjectThatIsChangedInPlaceIsStoredAsChanged() {
        ReduceFunction<TextPipeline.Counter> intoTheFirst = (a, b) -> {
            a.count += b.count;
            return a;
        };
        StateProbe<ReducingState<TextPipeline.Counter>> probe = new StateProbe<>(context -> context.getReducingState(
                new ReducingStateDescriptor<>("counter", intoTheFirst, TextPipeline.Counter.class)));
        TextPipeline.Counter one = new TextPipeline.Counter();
        one.count = 1;
        probe.process(state -> state.add(one));
        probe.process(state -> {
            state.add(one);
            java.util.Objects.requireNonNull(state.get()).count += 10;
        });

        assertThat(probe.item("counter")).isEqualTo("\"{\\\"count\\\":12}\"");
    }

    @Test
    void whatAReduceFunctionThrowsIsPassedOnAndLeavesTheState() {
        Exception told = new Exception("told to");
        AtomicReference<@Nullable Exception> thrown = new AtomicReference<>();
        StateProbe<ReducingState<String>> probe =
                new StateProbe<>(context -> context.getReducingState(new ReducingStateDescriptor<>(
                        "text",
                        (a, b) -> {
                            throw told;
                        },
                        String.class)));
        probe.process(state -> state.add("first"));
        probe.process(state -> {
            try {
                state.add("second");
            } catch (Exception e) {
                thrown.set(e);
            }
        });

        assertThat(thrown.get()).isSameAs(told);
        assertThat(probe.item("text")).isEqualTo("\"\\\"first\\\"\"");
        RecordFailure failure = probe.failureOf(state -> state.add("third"));
        assertThat(failure.kind()).isEqualTo(RecordFailure.Kind.FUNCTION_THREW);
        assertThat(failure).hasCause(told);
    }

    @Test
    @SuppressWarnings("NullAway") // nulls are what the test is about
    void nullsAreRefused() {
        ReduceFunction<String> reduceToNull = (a, b) -> null;
        StateProbe<ReducingState<String>> reducing = new StateProbe<>(
                context -> context.getReducingState(new ReducingStateDescriptor<>("text", reduceToNull, String.class)));
        reducing.process(state -> state.add("first"));
        reducing.process(state -> {
            assertNull(() -> state.add("second"), "reduce returned null; return a value");
            assertNull(() -> state.add(null), "a reducing state takes no null");
            assertThat(state.get()).isEqualTo("first");
        });

        mean.process(state -> assertNull(() -> state.add(null), "an aggregating state takes no null"));
        Mean noAccumulator = new Mean() {
            @Override
            public Tally createAccumulator() {
                return null;
            }
        };
        Mean addToNull = new Mean() {
            @Override
            public Tally add(Integer value, Tally tally) {
                return null;
            }
        };
        aggregating(noAccumulator)
                .process(state ->
                        assertNull(() -> state.add(1), "createAccumulator returned null; return an accumulator"));
        aggregating(addToNull)
                .process(state -> assertNull(() -> state.add(1), "add returned null; return the accumulator"));
    }

    private static StateProbe<AggregatingState<Integer, String>> aggregating(Mean function) {
        return new StateProbe<>(context ->
                context.getAggregatingState(new AggregatingStateDescriptor<>("mean", function, Mean.Tally.class)));
    }

    private static void assertNull(ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(message);
    }

    @Test
    void resultMayBeNull() {
        Mean nothing = new Mean() {
            @Override
            @SuppressWarnings("NullAway") // null is what the test is about
            public String getResult(Tally tally) {
                return null;
            }
        };

        aggregating(nothing).process(state -> {
            state.add(1);
            assertThat(state.get()).isNull();
        });
    }

    @Test
    void reducedValueIsReadAsAValueAndTheOtherWayRound() {
        sum.process(state -> state.add(5L));
        StateProbe<?> value = sum.deploy(context -> context.getState(new ValueStateDescriptor<>("sum", Long.class)));
        value.process(state -> {});

        assertThat(EngineHarness.text(value.cell(), "sum")).isEqualTo("5");
    }

    @Test
    void handlesAreRefusedOutsideOfProcessElement() {
        ReducingState<Long> reducing = sum.handles();
        AggregatingState<Integer, String> aggregating = mean.handles();

        List<ThrowingCallable> uses = List.of(
                reducing::get,
                () -> reducing.add(1L),
                reducing::clear,
                aggregating::get,
                () -> aggregating.add(1),
                aggregating::clear);
        for (ThrowingCallable use : uses) {
            assertThatThrownBy(use)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is used outside of processElement");
        }
    }

    @Test
    void statesAreRegisteredOnce() {
        assertTwice(context -> context.getReducingState(new ReducingStateDescriptor<>("sum", (a, b) -> a, Long.class)));
        assertTwice(context ->
                context.getAggregatingState(new AggregatingStateDescriptor<>("sum", new Mean(), Mean.Tally.class)));
    }

    private static void assertTwice(java.util.function.Function<RuntimeContext, Object> register) {
        assertThatThrownBy(() -> new StateProbe<>(context -> {
                    return List.of(register.apply(context), register.apply(context));
                }))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("The state 'sum' of stage 'texts' is registered twice");
    }
}
