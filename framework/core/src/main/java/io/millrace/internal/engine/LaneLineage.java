package io.millrace.internal.engine;

import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where a lane stands among the shards of its stream. Immutable.
 *
 * @param discovered when the lane's record was made, by listing the shards; null if that did not happen yet
 * @param openParents the shards that it came of by a split or a merge, as long as they are not proven finished
 * @param finished whether all its records are committed and its shard is closed, or no longer there
 * @param children the shards that came of it, once it is finished
 */
public record LaneLineage(
        @Nullable Instant discovered, Set<String> openParents, boolean finished, Set<String> children) {
    /** The place of a lane that was not discovered yet. */
    public static final LaneLineage UNKNOWN = new LaneLineage(null, Set.of(), false, Set.of());

    public LaneLineage {
        openParents = Set.copyOf(openParents);
        children = Set.copyOf(children);
    }

    /** The place of a lane that is discovered. */
    public static LaneLineage discovered(Instant at, Set<String> openParents) {
        return new LaneLineage(at, openParents, false, Set.of());
    }

    /** This place, with all parents finished. */
    public LaneLineage withParentsFinished() {
        return new LaneLineage(discovered, Set.of(), finished, children);
    }

    /** This place, finished. */
    public LaneLineage finishedWith(Set<String> newChildren) {
        return new LaneLineage(discovered, Set.of(), true, newChildren);
    }
}
