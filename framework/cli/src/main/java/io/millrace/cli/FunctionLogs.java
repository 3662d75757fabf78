package io.millrace.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * The sums of the counts in the functions' JSON logs: what a function has done is known to nobody else. A process that
 * is killed does not log the batch that it was at. Thread-safe.
 */
final class FunctionLogs implements Consumer<String> {
    static final String DUPLICATES = "duplicates";
    static final String CONFLICTS = "conflicts";
    static final String DEAD_LETTERS = "dead_letters";
    static final String TIMERS = "timers";

    private static final Set<String> COUNTS = Set.of(DUPLICATES, CONFLICTS, DEAD_LETTERS, TIMERS);
    private static final JsonFactory JSON = new JsonFactory();

    private final Map<String, Long> sums = new ConcurrentHashMap<>();

    /** Takes a line of a function's output; one that is no JSON document says nothing here. */
    @Override
    public void accept(String line) {
        if (!line.startsWith("{")) {
            return;
        }
        try (JsonParser json = JSON.createParser(line)) {
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                JsonToken value = json.nextToken();
                if (value == JsonToken.VALUE_NUMBER_INT && COUNTS.contains(name)) {
                    sums.merge(name, json.getLongValue(), Long::sum);
                } else {
                    json.skipChildren();
                }
            }
        } catch (IOException cutLine) {
            sums.merge("unreadable lines", 1L, Long::sum);
        }
    }

    long sum(String count) {
        return sums.getOrDefault(count, 0L);
    }
}
