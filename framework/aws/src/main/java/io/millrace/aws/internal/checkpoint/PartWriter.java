package io.millrace.aws.internal.checkpoint;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Items on their way into one object: a line of JSON each, {@code {"Item": {...}}}, as gzip. For one thread. */
final class PartWriter {
    /** When an object is full: compressed, it is held in memory until it is put. */
    static final int BYTES_MAX = 8 * 1024 * 1024;

    private static final ObjectMapper LINES = new ObjectMapper(new JsonFactory());

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final GZIPOutputStream gzip;
    private long items;

    PartWriter() {
        try {
            this.gzip = new GZIPOutputStream(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void add(Map<String, AttributeValue> item) {
        try {
            gzip.write(LINES.writeValueAsBytes(Map.of("Item", ItemJson.write(item))));
            gzip.write('\n');
            items++;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    long items() {
        return items;
    }

    boolean isFull() {
        return bytes.size() >= BYTES_MAX;
    }

    byte[] finish() {
        try {
            gzip.close();
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
