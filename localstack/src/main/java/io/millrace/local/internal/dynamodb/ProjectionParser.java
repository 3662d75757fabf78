package io.millrace.local.internal.dynamodb;

import java.util.ArrayList;
import java.util.List;

/** A parser of projections: paths with commas between them. */
final class ProjectionParser {
    private ProjectionParser() {}

    static List<Path> parse(String text) {
        TokenCursor cursor = new TokenCursor(ExpressionKind.PROJECTION, text);
        List<Path> paths = new ArrayList<>();
        do {
            paths.add(cursor.path());
        } while (cursor.takeSymbol(","));
        cursor.finish();
        return List.copyOf(paths);
    }
}
