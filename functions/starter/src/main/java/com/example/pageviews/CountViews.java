package com.example.pageviews;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;

/** Counts a user's page views and keeps the latest one. */
final class CountViews extends KeyedProcessFunction<String, PageView, UserRow> {
    private ValueState<UserRow> user;

    @Override
    public void open(OpenContext openContext) {
        user = getRuntimeContext().getState(new ValueStateDescriptor<>("user", UserRow.class));
    }

    @Override
    public void processElement(PageView view, Context ctx, Collector<UserRow> out) {
        UserRow before = user.value();
        long views = before == null ? 1 : before.views() + 1;
        // Views of one user can come from several shards, and so in any order.
        boolean latest = before == null || !view.time().isBefore(before.lastTime());
        UserRow after = latest
                ? new UserRow(view.user(), views, view.page(), view.time())
                : new UserRow(view.user(), views, before.lastPage(), before.lastTime());
        user.update(after);
        out.collect(after);
    }
}
