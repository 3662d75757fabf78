package io.millrace.serde;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.millrace.MillraceException;
import java.io.IOException;

/**
 * JSON by Jackson: times as ISO-8601 text, unknown properties ignored, no text behind the document, no classes that the
 * document names (a sealed interface with {@code @JsonSubTypes} works). A document that is JSON's {@code null} is
 * refused, and so are nesting above 1,000 levels and numbers above 1,000 digits.
 */
public final class Json<T> implements Serde<T> {
    private static final ObjectMapper MAPPER = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .enable(MapperFeature.BLOCK_UNSAFE_POLYMORPHIC_BASE_TYPES)
            .build();

    private final Class<T> type;
    private final ObjectReader reader;
    private final ObjectWriter writer;

    private Json(Class<T> type) {
        this.type = type;
        this.reader = MAPPER.readerFor(type);
        this.writer = MAPPER.writerFor(type);
    }

    /** JSON documents of a class. */
    public static <T> Json<T> of(Class<T> type) {
        return new Json<>(type);
    }

    /** The mapper behind this serde, so that rows read as state does. Do not configure it. */
    public static ObjectMapper mapper() {
        return MAPPER;
    }

    @Override
    public byte[] serialize(T value) {
        try {
            return writer.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new MillraceException(
                    "A value of " + type.getName() + " cannot be written as JSON: " + e.getOriginalMessage(), e);
        }
    }

    @Override
    public T deserialize(byte[] data) throws IOException {
        T value = read(data);
        if (value == null) {
            throw new IOException("The document is JSON null, where a " + type.getSimpleName() + " is expected.");
        }
        return value;
    }

    /** Some of Jackson's deserialisers throw exceptions of Java's at values that they cannot hold. */
    private T read(byte[] data) throws IOException {
        try {
            return reader.readValue(data);
        } catch (RuntimeException | StackOverflowError e) {
            throw DecodingException.json("The document cannot be read as a " + type.getSimpleName() + ": " + e, e);
        }
    }

    @Override
    public boolean isText() {
        return true;
    }

    @Override
    public String description() {
        return "json:" + type.getName();
    }
}
