package io.millrace.functions.visits;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of the clicks of a visit, whatever order they come in.
 *
 * @param clicks how many
 * @param first the first one; null if there is none yet
 * @param last the last one; null if there is none yet
 */
public record Trail(
        long clicks, @Nullable Step first, @Nullable Step last) {
    /** No click yet. */
    static final Trail NONE = new Trail(0, null, null);

    /** A click without its user. Of two at the same time the one with the lower page comes first. */
    public record Step(Instant time, String page) {
        boolean isBefore(Step other) {
            int order = time.compareTo(other.time);
            return order < 0 || (order == 0 && page.compareTo(other.page) < 0);
        }
    }

    Trail plus(Click click) {
        Step step = new Step(click.time(), click.page());
        return plus(new Trail(1, step, step));
    }

    Trail plus(Trail other) {
        if (first == null || last == null) {
            return other;
        }
        if (other.first == null || other.last == null) {
            return this;
        }
        return new Trail(
                clicks + other.clicks,
                other.first.isBefore(first) ? other.first : first,
                last.isBefore(other.last) ? other.last : last);
    }
}
