package io.millrace.functions.flights;

import io.millrace.AggregateFunction;

/** Adds the flights of a day up. */
final class OnTime implements AggregateFunction<FlightReport, OnTimeTally, OnTimeTally> {
    @Override
    public OnTimeTally createAccumulator() {
        return OnTimeTally.NONE;
    }

    @Override
    public OnTimeTally add(FlightReport report, OnTimeTally tally) {
        return tally.plus(report.delayMinutes());
    }

    @Override
    public OnTimeTally getResult(OnTimeTally tally) {
        return tally;
    }

    @Override
    public OnTimeTally merge(OnTimeTally one, OnTimeTally other) {
        return one.plus(other);
    }
}
