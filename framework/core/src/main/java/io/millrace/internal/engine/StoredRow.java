package io.millrace.internal.engine;

import io.millrace.internal.item.Row;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a row of a stage without state remembers: its fence and its version. The attributes of the user's do not matter,
 * since a change is made without them. Immutable.
 *
 * @param version the nonce of the write that made it; null for a row that is not there, or that has none
 * @param outdated the names of fence entries that do not count any more, since an older generation wrote them
 */
public record StoredRow(@Nullable String version, Fence fence, Set<String> outdated) {
    /** A row that is not there. */
    public static final StoredRow ABSENT = new StoredRow(null, Fence.EMPTY, Set.of());

    /** The name of the attribute that holds a lane's entry of the fence. */
    public static String fenceAttribute(String laneName) {
        return Row.FENCE_PREFIX + laneName;
    }
}
