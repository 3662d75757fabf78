package io.millrace.functions.flights;

import io.millrace.Collector;
import io.millrace.window.ProcessWindowFunction;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;

/** Makes the row of an airport's day out of its tally, when the day is over. */
final class OnTimeRows extends ProcessWindowFunction<OnTimeTally, OnTimeRow, String> {
    @Override
    public void process(String airport, Context context, Iterable<OnTimeTally> tallies, Collector<OnTimeRow> out) {
        Instant start = Instant.ofEpochMilli(context.window().getStart());
        String day = LocalDate.ofInstant(start, ZoneOffset.UTC).toString();
        for (OnTimeTally tally : tallies) {
            out.collect(new OnTimeRow(airport, day, tally.flights(), tally.delayed(), tally.totalDelayMinutes()));
        }
    }
}
