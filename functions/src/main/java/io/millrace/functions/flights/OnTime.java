package io.millrace.functions.flights;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Keeps an airport's tallies by day, and puts out a day's row whenever a report changes it. */
final class OnTime extends KeyedProcessFunction<String, FlightReport, OnTimeRow> {
    private @Nullable MapState<String, OnTimeTally> days;

    @Override
    public void open(OpenContext openContext) {
        days = getRuntimeContext().getMapState(new MapStateDescriptor<>("days", String.class, OnTimeTally.class));
    }

    @Override
    public void processElement(FlightReport report, Context ctx, Collector<OnTimeRow> out) {
        MapState<String, OnTimeTally> tallies = Objects.requireNonNull(days, "open() comes first");
        String day = LocalDate.ofInstant(report.scheduled(), ZoneOffset.UTC).toString();
        OnTimeTally known = tallies.get(day);
        OnTimeTally tally = (known == null ? OnTimeTally.NONE : known).plus(report.delayMinutes());
        tallies.put(day, tally);
        out.collect(
                new OnTimeRow(ctx.getCurrentKey(), day, tally.flights(), tally.delayed(), tally.totalDelayMinutes()));
    }
}
