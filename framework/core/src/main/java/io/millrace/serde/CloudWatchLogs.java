package io.millrace.serde;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import io.millrace.Collector;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decoders of what CloudWatch Logs sends into a stream by a subscription filter: envelopes of JSON, compressed by gzip,
 * each with many log events. Several envelopes in one record, joined before or behind the compression, give all of their
 * events, in order. Control messages, by which CloudWatch Logs tries whether the stream can be reached, give none. A
 * message of any other type, an envelope without its fields, and something between or behind the envelopes make the
 * record one that cannot be decoded, as a whole.
 *
 * <p>The decoders are {@link Gzip}'s, with its limit of {@value Gzip#BYTES_MAX_DEFAULT} uncompressed bytes, which {@link
 * Gzip#withBytesMax} changes; for envelopes that something has uncompressed on their way there is {@link Gzip#orPlain}.
 */
public final class CloudWatchLogs {
    private static final Serde<CloudWatchLogEvent> EVENT_SERDE = Json.of(CloudWatchLogEvent.class);

    private CloudWatchLogs() {}

    /** The log events, with where they come from. */
    public static Gzip<CloudWatchLogEvent> events() {
        return Gzip.of(new Envelopes<>(Optional.of(EVENT_SERDE), "cloudwatch-logs", event -> event));
    }

    /**
     * The messages of the log events, each decoded. If one of a record's messages cannot be, the whole record cannot; who
     * wants the others takes {@link #events()} and decodes in a {@code flatMap}.
     *
     * @param messages decodes the UTF-8 bytes of a message
     */
    public static <T> Gzip<T> messages(Serde<T> messages) {
        return Gzip.of(new Envelopes<>(
                Optional.of(messages),
                "cloudwatch-logs(" + messages.description() + ")",
                event -> Objects.requireNonNull(
                        messages.deserialize(event.message().getBytes(StandardCharsets.UTF_8)),
                        "the serde gave null")));
    }

    /** What becomes of a log event. */
    private interface Conversion<T> {
        T of(CloudWatchLogEvent event) throws Exception;
    }

    /** What an envelope must have, and whether it has is not known yet. */
    private record Envelope(
            @Nullable String messageType,
            @Nullable String owner,
            @Nullable String logGroup,
            @Nullable String logStream,
            @Nullable List<@Nullable LogEvent> logEvents) {}

    private record LogEvent(
            @Nullable String id,
            @Nullable Long timestamp,
            @Nullable String message) {}

    /** The decoder of uncompressed envelopes. */
    private record Envelopes<T>(Optional<Serde<T>> elementSerde, String description, Conversion<T> conversion)
            implements RecordDecoder<T> {
        private static final String DATA_MESSAGE = "DATA_MESSAGE";
        private static final String CONTROL_MESSAGE = "CONTROL_MESSAGE";

        /** What is behind an envelope is looked at by the loop over the envelopes. */
        private static final ObjectReader READER =
                Json.mapper().readerFor(Envelope.class).without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

        @Override
        public void decode(StreamRecord record, Collector<T> out) throws Exception {
            int number = 0;
            try (JsonParser parser = READER.createParser(record.payload())) {
                for (JsonToken token = parser.nextToken(); token != null; token = parser.nextToken()) {
                    number++;
                    if (token != JsonToken.START_OBJECT) {
                        throw DecodingException.envelope(number, "is no JSON object.");
                    }
                    decode(read(parser, number), number, out);
                }
            }
            if (number == 0) {
                throw DecodingException.noEnvelope(record.size());
            }
        }

        private static Envelope read(JsonParser parser, int number) throws DecodingException {
            try {
                return READER.readValue(parser);
            } catch (Exception | StackOverflowError e) {
                throw DecodingException.json(
                        "The CloudWatch Logs envelope number " + number + " of the record cannot be read.", e);
            }
        }

        private void decode(Envelope envelope, int number, Collector<T> out) throws Exception {
            String type = required(envelope.messageType(), "messageType", number);
            if (type.equals(CONTROL_MESSAGE)) {
                return;
            }
            if (!type.equals(DATA_MESSAGE)) {
                throw DecodingException.envelope(
                        number,
                        "has the messageType " + DecodingException.quoted(type) + "; known are " + DATA_MESSAGE
                                + " and " + CONTROL_MESSAGE + ".");
            }
            String owner = required(envelope.owner(), "owner", number);
            String logGroup = required(envelope.logGroup(), "logGroup", number);
            String logStream = required(envelope.logStream(), "logStream", number);
            for (LogEvent event : required(envelope.logEvents(), "logEvents", number)) {
                LogEvent present = required(event, "logEvents[]", number);
                out.collect(conversion.of(new CloudWatchLogEvent(
                        owner,
                        logGroup,
                        logStream,
                        required(present.id(), "logEvents[].id", number),
                        Instant.ofEpochMilli(required(present.timestamp(), "logEvents[].timestamp", number)),
                        required(present.message(), "logEvents[].message", number))));
            }
        }

        private static <V> V required(@Nullable V value, String field, int number) throws DecodingException {
            if (value == null) {
                throw DecodingException.envelope(number, "has no " + field + ".");
            }
            return value;
        }
    }
}
