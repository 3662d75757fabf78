package io.millrace.local.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.MillraceException;
import io.millrace.OpenContext;
import io.millrace.local.testing.OrderTotals.Order;
import io.millrace.local.testing.OrderTotals.OrderTotal;
import io.millrace.local.testing.OrderTotals.Total;
import io.millrace.serde.Keys;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import io.millrace.time.WatermarkStrategy;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class KeyedProcessFunctionTestHarnessTest {
    private final KeyedProcessFunctionTestHarness<String, Order, OrderTotal> harness =
            KeyedProcessFunctionTestHarness.of(new OrderTotals.AddUp(), Order::customer);

    @Test
    void elementsMakeOutputAndStateByKey() throws Exception {
        harness.processElements(new Order("alice", 10), new Order("bob", 5), new Order("alice", 7));
        assertThat(harness.extractOutputValues())
                .containsExactly(
                        new OrderTotal("alice", 1, 10), new OrderTotal("bob", 1, 5), new OrderTotal("alice", 2, 17));
        assertThat(harness.extractOutputValues()).isEmpty();
        assertThat(harness.state("alice").value(OrderTotals.TOTAL)).isEqualTo(new Total(2, 17));
        assertThat(harness.state("carol").isEmpty()).isTrue();
    }

    @Test
    void whatTheFunctionThrowsIsThrownAndChangesNothing() throws Exception {
        harness.processElement(new Order("alice", 10));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> harness.processElement(new Order("alice", -1)))
                .withMessage("an order of -1 cents");
        harness.processElement(new Order("alice", 7));
        assertThat(harness.extractOutputValues())
                .containsExactly(new OrderTotal("alice", 1, 10), new OrderTotal("alice", 2, 17));
    }

    @Test
    void anErrorIsAFailureWithItsCause() {
        var failing = KeyedProcessFunctionTestHarness.of(new Overflowing(), Order::customer);
        assertThatThrownBy(() -> failing.processElement(new Order("alice", 1)))
                .isInstanceOf(MillraceException.class)
                .hasMessage("The element Order[customer=alice, cents=1] failed: java.lang.AssertionError: too much")
                .hasRootCauseMessage("too much");
    }

    @Test
    void timersFireWhenTheirTimeIsReachedAndOnce() throws Exception {
        var timed = KeyedProcessFunctionTestHarness.of(new Echo(), Order::customer);
        timed.processElement(new Order("bob", 50), 20);
        timed.processElement(new Order("alice", 30), 40);
        timed.processElement(new Order("alice", 10), 45);
        timed.processElement(new Order("alice", 30), 50);
        assertThat(timed.numEventTimeTimers()).isEqualTo(3);
        timed.processWatermark(9);
        assertThat(timed.extractOutputValues()).isEmpty();
        timed.processWatermark(30);
        assertThat(timed.extractOutputValues())
                .containsExactly("alice at 10 of EVENT_TIME", "alice at 30 of EVENT_TIME");
        timed.processWatermark(WatermarkStrategy.END_OF_INPUT);
        assertThat(timed.extractOutputValues()).containsExactly("bob at 50 of EVENT_TIME");
        assertThat(timed.numEventTimeTimers()).isZero();

        assertThat(timed.numProcessingTimeTimers()).isEqualTo(4);
        timed.setProcessingTime(45);
        assertThat(timed.extractOutputValues())
                .containsExactly(
                        "alice at 40 of PROCESSING_TIME",
                        "alice at 45 of PROCESSING_TIME",
                        "bob at 20 of PROCESSING_TIME");
        assertThat(timed.numProcessingTimeTimers()).isEqualTo(1);
    }

    @Test
    void timeDoesNotGoBack() throws Exception {
        harness.processWatermark(5);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> harness.processWatermark(4))
                .withMessage("processWatermark(4): it is at 5, and does not go back.");
        harness.setProcessingTime(5);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> harness.setProcessingTime(4))
                .withMessage("setProcessingTime(4): it is 5, and time does not go back.");
    }

    @Test
    void whatATimerThrowsIsThrownAndTheTimerStays() throws Exception {
        var timed = KeyedProcessFunctionTestHarness.of(new Echo(), Order::customer);
        timed.processElement(new Order("mallory", 10), 10);
        assertThatThrownBy(() -> timed.processWatermark(10))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("no timers for mallory");
        assertThat(timed.numEventTimeTimers()).isEqualTo(1);
        assertThat(timed.extractOutputValues()).isEmpty();
    }

    /** Sets an event-time timer at the cents, and a processing-time timer at the event time. */
    private static final class Echo extends KeyedProcessFunction<String, Order, String> {
        @Override
        public void processElement(Order order, Context ctx, Collector<String> out) {
            ctx.timerService().registerEventTimeTimer(order.cents());
            ctx.timerService().registerProcessingTimeTimer(ctx.timestamp());
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext ctx, Collector<String> out) {
            out.collect(ctx.getCurrentKey() + " at " + timestamp + " of " + ctx.timeDomain());
            if (ctx.getCurrentKey().equals("mallory")) {
                throw new IllegalStateException("no timers for mallory");
            }
        }
    }

    @Test
    void stateGoesThroughItsSerdeBetweenElements() throws Exception {
        var forgetting = KeyedProcessFunctionTestHarness.of(new Remembering(), Order::cents, Keys.LONG);
        forgetting.processElements(new Order("alice", 3), new Order("bob", 3));
        assertThat(forgetting.extractOutputValues())
                .containsExactly(new OrderTotal("1", 1, 3), new OrderTotal("1", 1, 3));
        assertThat(forgetting.state(3L).names()).containsExactly("memory");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> forgetting.state(3L).json("other"));
    }

    /** An object whose transient part is not stored. */
    static final class Memory {
        public long stored;
        transient int notStored;
    }

    private static final class Remembering extends KeyedProcessFunction<Long, Order, OrderTotal> {
        private @Nullable ValueState<Memory> memory;

        @Override
        public void open(OpenContext openContext) {
            memory = getRuntimeContext().getState(new ValueStateDescriptor<>("memory", Memory.class));
        }

        @Override
        public void processElement(Order order, Context ctx, Collector<OrderTotal> out) {
            ValueState<Memory> state = Objects.requireNonNull(memory);
            Memory value = Objects.requireNonNullElseGet(state.value(), Memory::new);
            value.stored++;
            value.notStored++;
            state.update(value);
            out.collect(new OrderTotal(String.valueOf(value.notStored), 1, ctx.getCurrentKey()));
        }
    }

    private static final class Overflowing extends KeyedProcessFunction<String, Order, OrderTotal> {
        @Override
        public void processElement(Order order, Context ctx, Collector<OrderTotal> out) {
            List.of(order).forEach(each -> {
                throw new AssertionError("too much");
            });
        }
    }
}
