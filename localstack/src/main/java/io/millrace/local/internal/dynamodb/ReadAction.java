package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.dynamodb.CapacityUnits.ReadConsistency;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How items of a read are answered: which parts of them, and how consistent. */
record ReadAction(@Nullable Projection projection, ReadConsistency consistency) {
    private static final String PROJECTION = ExpressionKind.PROJECTION.parameter();

    static ReadAction read(Request request, ExpressionCache cache) {
        request.refuseLegacy("AttributesToGet");
        Bindings bindings = Bindings.of(request, List.of(ExpressionKind.PROJECTION));
        Projection projection = projection(request, bindings, cache);
        bindings.requireAllUsed();
        return new ReadAction(projection, ReadConsistency.of(request.flag("ConsistentRead")));
    }

    /** The projection of a request with further expressions, whose bindings are shared. */
    static @Nullable Projection projection(Request request, Bindings bindings, ExpressionCache cache) {
        String text = request.text(PROJECTION);
        if (text == null) {
            return null;
        }
        List<Path> paths = bindings.bindPaths(ExpressionKind.PROJECTION, cache.projection(text));
        Path.requireSeparate(paths, ExpressionKind.PROJECTION);
        return new Projection(paths);
    }

    ObjectNode document(MapValue item) {
        return ValueWriter.item(projection == null ? item : projection.of(item));
    }

    /** The units of reading one item, or of finding none. */
    double units(@Nullable MapValue item) {
        return CapacityUnits.reads(item == null ? 0 : item.itemSizeBytes(), consistency);
    }
}
