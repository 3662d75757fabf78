package io.millrace.aws.internal;

import io.millrace.internal.engine.Position;
import org.jspecify.annotations.Nullable;

/**
 * What a stream holds of a lane behind its cursor.
 *
 * @param first the first record behind the cursor; null if there is none
 */
public record LaneTail(Kind kind, @Nullable Position first) {
    enum Kind {
        /** Records that are not committed. */
        RECORDS,
        /** Nothing, up to the tip of a shard that is still open. */
        TIP,
        /** Nothing, up to the end of a closed shard. */
        CLOSED_END,
        /** The stream does not list the shard any more. */
        GONE
    }

    static LaneTail of(Kind kind) {
        return new LaneTail(kind, null);
    }

    /** Whether reading from the cursor gave nothing, up to the tip or the end. */
    boolean isEmpty() {
        return kind != Kind.RECORDS;
    }

    /** Whether nothing can come behind the cursor any more. */
    boolean isOver() {
        return kind == Kind.CLOSED_END || kind == Kind.GONE;
    }
}
