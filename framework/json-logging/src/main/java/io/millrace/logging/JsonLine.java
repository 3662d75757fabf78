package io.millrace.logging;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;

/** One log line as a JSON document. */
final class JsonLine {
    private static final JsonFactory JSON = new JsonFactory();

    private JsonLine() {}

    static String of(
            Instant time,
            Level level,
            String logger,
            String message,
            List<KeyValuePair> pairs,
            @Nullable Throwable thrown) {
        StringWriter line = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(line)) {
            json.writeStartObject();
            json.writeStringField("timestamp", time.toString());
            json.writeStringField("level", level.name());
            json.writeStringField("logger", logger);
            json.writeStringField("message", message);
            for (KeyValuePair pair : pairs) {
                json.writeFieldName(pair.key);
                writeValue(json, pair.value);
            }
            if (thrown != null) {
                json.writeStringField("errorType", thrown.getClass().getName());
                json.writeStringField("errorMessage", String.valueOf(thrown.getMessage()));
                json.writeStringField("stackTrace", stackTrace(thrown));
            }
            json.writeEndObject();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return line.toString();
    }

    private static void writeValue(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value instanceof Integer || value instanceof Long) {
            json.writeNumber(((Number) value).longValue());
        } else if (value instanceof Boolean bool) {
            json.writeBoolean(bool);
        } else {
            json.writeString(String.valueOf(value));
        }
    }

    private static String stackTrace(Throwable thrown) {
        StringWriter trace = new StringWriter();
        thrown.printStackTrace(new PrintWriter(trace, true));
        return trace.toString();
    }
}
