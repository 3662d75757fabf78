package io.millrace.local.testing;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.local.testing.OrderTotals.Order;
import io.millrace.local.testing.OrderTotals.OrderTotal;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;

/** A pipeline with the mistake that a verification is for: it counts in a field instead of in state. */
public final class CountingInField implements PipelineDefinition {
    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis("orders", Json.of(Order.class))
                .keyBy(Order::customer)
                .process(new Count())
                .uid("count")
                .sinkTo(DynamoDbSink.rows("order-counts", OrderTotal.class));
    }

    /** Counts orders. */
    static final class Count extends KeyedProcessFunction<String, Order, OrderTotal> {
        private long counter;

        @Override
        public void processElement(Order order, Context ctx, Collector<OrderTotal> out) {
            counter++;
            out.collect(new OrderTotal(ctx.getCurrentKey(), counter, order.cents()));
        }
    }
}
