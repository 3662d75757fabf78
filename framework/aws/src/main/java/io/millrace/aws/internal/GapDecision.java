package io.millrace.aws.internal;

import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.Position;
import org.jspecify.annotations.Nullable;

/** The operator's word for going on over one gap, and no other: lane, last committed record, first record behind. */
final class GapDecision {
    private GapDecision() {}

    /** What stands for the first record behind a gap if there is none: the lane's end. */
    static final String END = "END";

    /** The word for going on behind a lane whose last records were never delivered. */
    static String toEnd(Lane lane, @Nullable Position cursor) {
        return lane + "@" + (cursor == null ? "beginning" : cursor) + ".." + END;
    }

    static String of(Lane lane, @Nullable Position cursor, Position first) {
        return lane + "@" + (cursor == null ? "beginning" : cursor) + ".." + first;
    }
}
