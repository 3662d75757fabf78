package io.millrace.local.testing;

import io.millrace.Collector;
import io.millrace.ErrorPolicy;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The pipeline of the guide on testing: how many orders each customer made, and for how much. */
public final class OrderTotals implements PipelineDefinition {
    /** An order. */
    public record Order(String customer, long cents) {}

    /** What is kept a customer. */
    public record Total(long orders, long cents) {}

    /** A row a customer. */
    public record OrderTotal(@PartitionKey String customer, long orders, long cents) {}

    /** The state of a customer. */
    static final ValueStateDescriptor<Total> TOTAL = new ValueStateDescriptor<>("total", Total.class);

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis("orders", Json.of(Order.class))
                .keyBy(Order::customer)
                .process(new AddUp())
                .uid("add-up")
                .errorPolicy(ErrorPolicy.retryThenDeadLetter(3))
                .sinkTo(DynamoDbSink.rows("order-totals", OrderTotal.class));
    }

    /** Adds an order to its customer's total. */
    static final class AddUp extends KeyedProcessFunction<String, Order, OrderTotal> {
        private @Nullable ValueState<Total> total;

        @Override
        public void open(OpenContext openContext) {
            total = getRuntimeContext().getState(TOTAL);
        }

        @Override
        public void processElement(Order order, Context ctx, Collector<OrderTotal> out) {
            if (order.cents() < 0) {
                throw new IllegalArgumentException("an order of " + order.cents() + " cents");
            }
            ValueState<Total> state = Objects.requireNonNull(total);
            Total before = Objects.requireNonNullElse(state.value(), new Total(0, 0));
            Total after = new Total(before.orders() + 1, before.cents() + order.cents());
            state.update(after);
            out.collect(new OrderTotal(ctx.getCurrentKey(), after.orders(), after.cents()));
        }
    }
}
