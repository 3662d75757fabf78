package io.millrace.local.internal.dynamodb;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The syntax trees of expressions seen before, by text. Bounded: programs use few expressions, so when a map is full it
 * is simply emptied. Texts that do not parse are not kept. Thread-safe.
 */
final class ExpressionCache {
    static final int ENTRIES_MAX = 1_000;

    private final ConcurrentHashMap<String, Condition> conditions = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, UpdateExpression> updates = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, List<Path>> projections = new ConcurrentHashMap<>();

    Condition condition(ExpressionKind kind, String text) {
        return cached(conditions, text, key -> ConditionParser.parse(kind, key));
    }

    UpdateExpression update(String text) {
        return cached(updates, text, UpdateParser::parse);
    }

    List<Path> projection(String text) {
        return cached(projections, text, ProjectionParser::parse);
    }

    int size() {
        return conditions.size() + updates.size() + projections.size();
    }

    private static <T> T cached(ConcurrentHashMap<String, T> cache, String text, Function<String, T> parse) {
        T known = cache.get(text);
        if (known != null) {
            return known;
        }
        T parsed = parse.apply(text);
        if (cache.size() >= ENTRIES_MAX) {
            cache.clear();
        }
        cache.put(text, parsed);
        return parsed;
    }
}
