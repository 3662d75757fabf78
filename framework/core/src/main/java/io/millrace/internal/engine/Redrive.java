package io.millrace.internal.engine;

import java.time.Instant;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * A dead letter's record on its way through the engine once more. It is no lane's: fences are neither asked nor moved,
 * since they are high-water marks and dead letters are redriven in any order. The dead letter's row is its fence.
 *
 * @param key the key whose part of the record is a dead letter; null if all of the record is one
 * @param expiry when a cell that has absorbed it may forget that
 */
public record Redrive(
        Lane lane, InputRecord input, @Nullable String key, Instant expiry) {
    /** What tells this redrive from others of the same cell: the lane's short name, the position, {@code *} if keyless. */
    public String id() {
        String position = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(input.position().encode());
        return lane.fenceName() + "@" + position + (key == null ? "*" : "");
    }
}
