package io.millrace.local.testing;

import io.millrace.Collector;
import io.millrace.ErrorPolicy;
import io.millrace.KeyedProcessFunction;
import io.millrace.MapFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.ReduceFunction;
import io.millrace.local.testing.OrderTotals.Order;
import io.millrace.local.testing.OrderTotals.OrderTotal;
import io.millrace.serde.Json;
import io.millrace.serde.Keys;
import io.millrace.sink.DynamoDbSink;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Small pipelines over orders, for tests of what a driver and a verification do with them. */
final class Pipelines {
    static final MapStateDescriptor<Long, Long> BY_SIZE =
            new MapStateDescriptor<>("by-size", Keys.LONG, Json.of(Long.class));

    private Pipelines() {}

    private static PipelineDefinition named(String name, java.util.function.Consumer<PipelineBuilder> stages) {
        return new PipelineDefinition() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public void define(PipelineBuilder pipeline) {
                stages.accept(pipeline);
            }
        };
    }

    /** Runs a function over the orders of each customer. */
    static Supplier<PipelineDefinition> processing(Supplier<KeyedProcessFunction<String, Order, OrderTotal>> function) {
        return processing(function, ErrorPolicy.fail());
    }

    static Supplier<PipelineDefinition> processing(
            Supplier<KeyedProcessFunction<String, Order, OrderTotal>> function, ErrorPolicy policy) {
        return () -> named(
                "orders-test",
                pipeline -> pipeline.fromKinesis("orders", Json.of(Order.class))
                        .keyBy(Order::customer)
                        .process(function.get())
                        .uid("process")
                        .errorPolicy(policy)
                        .sinkTo(DynamoDbSink.rows("results", OrderTotal.class)));
    }

    /** Maps each order before it is added up. */
    static Supplier<PipelineDefinition> mapping(Supplier<MapFunction<Order, Order>> function) {
        return () -> named(
                "orders-test",
                pipeline -> pipeline.fromKinesis("orders", Json.of(Order.class))
                        .map(function.get())
                        .keyBy(Order::customer)
                        .process(new OrderTotals.AddUp())
                        .uid("process")
                        .sinkTo(DynamoDbSink.rows("results", OrderTotal.class)));
    }

    /** Keeps one order a customer. */
    static Supplier<PipelineDefinition> reducing(ReduceFunction<Order> function) {
        return () -> named(
                "orders-test",
                pipeline -> pipeline.fromKinesis("orders", Json.of(Order.class))
                        .keyBy(Order::customer)
                        .reduce(function)
                        .uid("reduce")
                        .map(order -> new OrderTotal(order.customer(), 1, order.cents()))
                        .sinkTo(DynamoDbSink.rows("results", OrderTotal.class)));
    }

    /** Counts the orders of each size a customer, and has two streams. */
    static Supplier<PipelineDefinition> sizesOfTwoStreams() {
        return () -> named("two-streams", pipeline -> {
            pipeline.fromKinesis("shop", Json.of(Order.class))
                    .keyBy(Order::cents, Keys.LONG)
                    .process(new CountSizes<>())
                    .uid("shop-sizes")
                    .sinkTo(DynamoDbSink.rows("shop-results", OrderTotal.class));
            pipeline.fromKinesis("web", Json.of(Order.class))
                    .keyBy(Order::customer)
                    .process(new CountSizes<>())
                    .uid("web-sizes")
                    .sinkTo(DynamoDbSink.rows("web-results", OrderTotal.class));
        });
    }

    static final class CountSizes<K> extends KeyedProcessFunction<K, Order, OrderTotal> {
        private @Nullable MapState<Long, Long> sizes;

        @Override
        public void open(OpenContext openContext) {
            sizes = getRuntimeContext().getMapState(BY_SIZE);
        }

        @Override
        public void processElement(Order order, Context ctx, Collector<OrderTotal> out) {
            MapState<Long, Long> state = Objects.requireNonNull(sizes);
            Long before = state.get(order.cents());
            state.put(order.cents(), before == null ? 1 : before + 1);
            long orders = 0;
            for (long count : state.values()) {
                orders += count;
            }
            out.collect(new OrderTotal(String.valueOf(ctx.getCurrentKey()), orders, 0));
        }
    }
}
