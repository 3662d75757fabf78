package io.millrace.aws.internal.checkpoint;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.millrace.MillraceException;
import java.io.IOException;

/** The JSON of the objects that describe a checkpoint. */
final class CheckpointJson {
    static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(SerializationFeature.INDENT_OUTPUT)
            .build();

    private CheckpointJson() {}

    static byte[] write(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a checkpoint's description cannot be written", e);
        }
    }

    /**
     * What an object says.
     *
     * @param where the object, for the error
     */
    static <T> T read(byte[] bytes, Class<T> type, String where) {
        try {
            return MAPPER.readValue(bytes, type);
        } catch (IOException e) {
            throw new MillraceException(
                    where + " cannot be read as JSON: " + e.getMessage() + ". Is it damaged? Use another checkpoint.",
                    e);
        }
    }
}
