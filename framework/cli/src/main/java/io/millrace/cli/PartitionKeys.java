package io.millrace.cli;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.internal.plan.KeyedStagePlan;
import io.millrace.internal.plan.StagePlan;
import io.millrace.internal.plan.Step;
import io.millrace.serde.StreamRecord;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Chooses the partition key of each document. */
sealed interface PartitionKeys {
    /** Kinesis's limit. */
    int CHARACTERS_MAX = 256;

    /**
     * The key of a document.
     *
     * @throws BrokenLineException if the document has none
     */
    String keyOf(byte[] data, JsonNode document) throws BrokenLineException;

    /**
     * The value of a field.
     *
     * @param pointer where it is
     */
    record OfField(JsonPointer pointer) implements PartitionKeys {
        /** A field by its name, or by a pointer, which begins with a slash. */
        static OfField named(String field) {
            return new OfField(
                    field.startsWith("/")
                            ? JsonPointer.compile(field)
                            : JsonPointer.empty().appendProperty(field));
        }

        @Override
        public String keyOf(byte[] data, JsonNode document) throws BrokenLineException {
            JsonNode value = document.at(pointer);
            if (!value.isValueNode() || value.isNull() || value.asText().isEmpty()) {
                throw new BrokenLineException(
                        "no text or number at " + pointer + ", which --partition-key names as the key");
            }
            String key = value.asText();
            if (key.length() > CHARACTERS_MAX) {
                throw new BrokenLineException("the key at " + pointer + " has " + key.length()
                        + " characters, Kinesis takes at most " + CHARACTERS_MAX);
            }
            return key;
        }
    }

    /**
     * The key that a stage gives the record, of several the first. A record to which it gives none, since it keeps no
     * state, drops it or cannot read it, goes anywhere.
     */
    record OfStage(StagePlan stage) implements PartitionKeys {
        @Override
        public String keyOf(byte[] data, JsonNode document) {
            if (!(stage instanceof KeyedStagePlan keyed)) {
                return digest(data);
            }
            List<Object> decoded = new ArrayList<>();
            List<Object> elements = new ArrayList<>();
            try {
                stage.source().decoder().decode(StreamRecord.of(data), decoded::add);
                for (Object element : decoded) {
                    Step.applyAll(stage.steps(), element, elements::add);
                }
                if (!elements.isEmpty()) {
                    String key = keyed.keyCodec().encode(keyed.keySelector().getKey(elements.get(0)));
                    return key.isEmpty() || key.length() > CHARACTERS_MAX
                            ? digest(key.getBytes(StandardCharsets.UTF_8))
                            : key;
                }
            } catch (Exception ofThePipelinesOwn) {
                // The stage's error policy is what decides on the record, and here it only needs a shard.
            }
            return digest(data);
        }

        private static String digest(byte[] bytes) {
            try {
                return HexFormat.of()
                        .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java has SHA-256", e);
            }
        }
    }

    /** What is wrong with a line. */
    final class BrokenLineException extends Exception {
        private static final long serialVersionUID = 1L;

        BrokenLineException(String message) {
            super(message);
        }

        BrokenLineException(String message, Exception cause) {
            super(message, cause);
        }
    }
}
