package io.millrace.aws.internal;

import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.Position;
import org.jspecify.annotations.Nullable;

/** The operator's word for going on over one gap, and no other: lane, last committed record, first record behind. */
final class GapDecision {
    private GapDecision() {}

    static String of(Lane lane, @Nullable Position cursor, Position first) {
        return lane + "@" + (cursor == null ? "beginning" : cursor) + ".." + first;
    }
}
