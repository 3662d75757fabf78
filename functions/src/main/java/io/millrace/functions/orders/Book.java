package io.millrace.functions.orders;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Carries out or rejects each order, and keeps the account. */
final class Book extends KeyedProcessFunction<String, Order, Booking> {
    private @Nullable ValueState<Account> account;

    @Override
    public void open(OpenContext openContext) {
        account = getRuntimeContext().getState(new ValueStateDescriptor<>("account", Account.class));
    }

    @Override
    public void processElement(Order order, Context ctx, Collector<Booking> out) {
        ValueState<Account> state = Objects.requireNonNull(account, "open() comes first");
        Account known = state.value();
        Account before = known == null ? Account.NEW : known;
        Account after = before.after(order);
        state.update(after);
        out.collect(new Booking(order, before.covers(order), after));
    }
}
