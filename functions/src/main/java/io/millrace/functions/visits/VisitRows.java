package io.millrace.functions.visits;

import io.millrace.Collector;
import io.millrace.window.ProcessWindowFunction;

/** Makes the row of a visit that is over. */
final class VisitRows extends ProcessWindowFunction<Trail, VisitRow, String> {
    @Override
    public void process(String user, Context context, Iterable<Trail> trails, Collector<VisitRow> out) {
        for (Trail trail : trails) {
            Trail.Step first = trail.first();
            Trail.Step last = trail.last();
            if (first != null && last != null) {
                out.collect(new VisitRow(
                        user,
                        first.time().toString(),
                        last.time().toString(),
                        trail.clicks(),
                        first.page(),
                        last.page()));
            }
        }
    }
}
