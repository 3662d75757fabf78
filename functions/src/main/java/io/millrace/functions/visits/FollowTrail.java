package io.millrace.functions.visits;

import io.millrace.AggregateFunction;

/** Gathers the clicks of a visit. Visits merge when a click comes between them that was delayed. */
final class FollowTrail implements AggregateFunction<Click, Trail, Trail> {
    @Override
    public Trail createAccumulator() {
        return Trail.NONE;
    }

    @Override
    public Trail add(Click click, Trail trail) {
        return trail.plus(click);
    }

    @Override
    public Trail getResult(Trail trail) {
        return trail;
    }

    @Override
    public Trail merge(Trail one, Trail other) {
        return one.plus(other);
    }
}
