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
