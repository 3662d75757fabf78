package io.millrace.local.testing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** A record that was given up, as it lies in the pipeline's dead letters. */
public final class TestDeadLetter {
    private final ObjectNode item;
    private final byte[] payload;

    TestDeadLetter(ObjectNode item, byte[] payload) {
        this.item = item;
        this.payload = payload;
    }

    static byte[] payload(ObjectNode item) {
        try {
            return item.has("payload") ? item.get("payload").binaryValue() : new byte[0];
        } catch (IOException e) {
            throw new UncheckedIOException("a dead letter's payload is no binary attribute", e);
        }
    }

    /** The uid of the stage that gave it up. */
    public String stage() {
        return item.path("stage").asText();
    }

    /** Why: {@code UNDECODABLE}, {@code KEY_UNKNOWN}, {@code FUNCTION_THREW}, {@code UNACCEPTABLE}, {@code PROCESS_KILLED}, {@code GAP}. */
    public String kind() {
        return item.path("kind").asText();
    }

    /** What becomes of it: {@code open} as long as nobody has dealt with it. */
    public String status() {
        return item.path("status").asText();
    }

    /** The text of the key whose part of the record was given up; null if none was computed. */
    public @Nullable String key() {
        return item.has("key") ? item.get("key").asText() : null;
    }

    /** What was thrown: class and message. */
    public String error() {
        return item.path("error").asText();
    }

    /** How often it was tried. */
    public int attempts() {
        return item.path("attempts").asInt();
    }

    /** The lane that it came from: {@code stream/shardId}. */
    public String lane() {
        return item.path("lane").asText();
    }

    /** The record's data; empty for a gap. */
    public byte[] payload() {
        return payload.clone();
    }

    /** The record's data as UTF-8 text. */
    public String payloadText() {
        return new String(payload, StandardCharsets.UTF_8);
    }

    /** Stage, kind, key, payload and error. */
    @Override
    public String toString() {
        return kind() + " of stage '" + stage() + "', key " + key() + ", payload '" + payloadText() + "': " + error();
    }
}
