package io.millrace.serde;

import static io.millrace.serde.Compressed.gzip;
import static io.millrace.serde.Compressed.joined;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Decoders fed with random bytes and with good records that were changed: they end, within their limits, with elements or
 * an {@link IOException}, and give the same again. The seed is in each failure.
 */
@Timeout(60)
class DecoderFuzzTest {
    private static final long SEED = 20_260_131;
    private static final int ROUNDS = 2_000;
    private static final int BYTES_MAX = 64 * 1024;

    /** What makes decoders trip: numbers, brackets, escapes, and what gzip begins with. */
    private static final List<String> TOKENS = List.of(
            "{",
            "}",
            "[",
            "]",
            "[[[[[[[[",
            "{\"a\":",
            "\"",
            "\\u0000",
            "\\ud800",
            "1e999999999",
            "-1e-999999999",
            "null",
            "9223372036854775808",
            "NaN",
            "true",
            ",",
            ":",
            "\u0000",
            "\ufeff");

    record Everything(
            @Nullable String text,
            int number,
            @Nullable Long large,
            @Nullable BigDecimal decimal,
            @Nullable BigInteger integer,
            @Nullable Instant instant,
            @Nullable Duration duration,
            @Nullable LocalDate date,
            @Nullable List<Everything> nested,
            @Nullable Map<String, Object> open) {}

    private static final byte[] JSON = Json.of(Everything.class)
            .serialize(new Everything(
                    "é\"\\",
                    7,
                    Long.MAX_VALUE,
                    new BigDecimal("0.1"),
                    BigInteger.TEN.pow(30),
                    Instant.parse("2001-01-31T23:59:59.123Z"),
                    Duration.ofHours(1),
                    LocalDate.of(2001, 1, 31),
                    List.of(new Everything(null, 1, null, null, null, null, null, null, List.of(), null)),
                    Map.of("key", List.of(1, "two", true))));

    private static final String ENVELOPE = "{\"messageType\":\"DATA_MESSAGE\",\"owner\":\"o\",\"logGroup\":\"g\","
            + "\"logStream\":\"s\",\"subscriptionFilters\":[\"f\"],\"logEvents\":["
            + "{\"id\":\"1\",\"timestamp\":1,\"message\":\"m1\"},{\"id\":\"2\",\"timestamp\":2,\"message\":\"m2\"}]}";

    /** The elements, or null if the record cannot be decoded. */
    private static <T> @Nullable List<T> decode(RecordDecoder<T> decoder, byte[] payload, long seed) {
        List<T> elements = new ArrayList<>();
        byte[] before = payload.clone();
        try {
            decoder.decode(StreamRecord.of(payload), elements::add);
            return elements;
        } catch (IOException expected) {
            assertThat(expected.getMessage()).as("seed %d", seed).isNotNull();
            return null;
        } catch (Throwable thrown) {
            return fail(
                    "seed " + seed + ": " + thrown.getClass() + " at "
                            + HexFormat.of().formatHex(payload),
                    thrown);
        } finally {
            assertThat(payload).as("seed %d", seed).isEqualTo(before);
        }
    }

    private static <T> void fuzz(RecordDecoder<T> decoder, List<byte[]> good, int rounds) {
        int decoded = 0;
        for (long seed = SEED; seed < SEED + rounds; seed++) {
            Random random = new Random(seed);
            byte[] payload = random.nextInt(8) == 0 ? noise(random) : changed(good, random);
            List<T> elements = decode(decoder, payload, seed);
            assertThat(decode(decoder, payload, seed))
                    .as("again, seed %d", seed)
                    .isEqualTo(elements);
            decoded += elements == null ? 0 : 1;
            // A good record is decoded whatever was decoded before it.
            assertThat(decode(decoder, good.get(random.nextInt(good.size())), seed))
                    .as("a good record after seed %d", seed)
                    .isNotNull();
        }
        assertThat(decoded)
                .as("records that could be decoded although they were changed")
                .isLessThan(rounds);
    }

    private static byte[] noise(Random random) {
        byte[] bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
        return bytes;
    }

    /** A good record with bits flipped, parts cut out, doubled, exchanged for tokens, or put together with another. */
    private static byte[] changed(List<byte[]> good, Random random) {
        byte[] bytes = good.get(random.nextInt(good.size())).clone();
        for (int changes = 1 + random.nextInt(4); changes > 0; changes--) {
            int at = random.nextInt(bytes.length + 1);
            int to = Math.min(bytes.length, at + random.nextInt(16));
            byte[] head = Arrays.copyOf(bytes, at);
            byte[] part = Arrays.copyOfRange(bytes, at, to);
            byte[] tail = Arrays.copyOfRange(bytes, to, bytes.length);
            bytes = switch (random.nextInt(6)) {
                case 0 -> flipped(bytes, random);
                case 1 -> joined(head, tail);
                case 2 -> joined(head, part, part, tail);
                case 3 -> joined(head, TOKENS.get(random.nextInt(TOKENS.size())).getBytes(UTF_8), tail);
                case 4 -> head;
                default -> joined(head, good.get(random.nextInt(good.size())), tail);
            };
        }
        return bytes;
    }

    private static byte[] flipped(byte[] bytes, Random random) {
        byte[] flipped = bytes.clone();
        if (flipped.length > 0) {
            flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
        }
        return flipped;
    }

    @Test
    void json() {
        fuzz(RecordDecoder.of(Json.of(Everything.class)), List.of(JSON, "{}".getBytes(UTF_8)), ROUNDS);
    }

    @Test
    void gzippedJson() throws IOException {
        Gzip<Everything> decoder = Gzip.of(Json.of(Everything.class)).withBytesMax(BYTES_MAX);
        List<byte[]> good = List.of(gzip(JSON), joined(gzip("{"), gzip("}")));
        fuzz(decoder, good, ROUNDS);
        fuzz(decoder.orPlain(), List.of(gzip(JSON), JSON), ROUNDS);
    }

    @Test
    void cloudWatchLogs() throws IOException {
        fuzz(
                CloudWatchLogs.events().withBytesMax(BYTES_MAX),
                List.of(gzip(ENVELOPE), gzip(ENVELOPE + ENVELOPE)),
                ROUNDS);
        fuzz(CloudWatchLogs.events().orPlain(), List.of(ENVELOPE.getBytes(UTF_8)), ROUNDS);
        fuzz(
                CloudWatchLogs.messages(Json.of(Integer.class)).orPlain(),
                List.of(ENVELOPE.replace("m1", "1").replace("m2", "2").getBytes(UTF_8)),
                ROUNDS);
    }

    /** Random members up to and beyond the limit: the content never has more bytes than it allows. */
    @Test
    void gzipNeverGivesMoreThanItsLimit() throws IOException {
        Gzip<Integer> sizes = Gzip.of((RecordDecoder<Integer>) (record, out) -> out.collect(record.size()))
                .withBytesMax(BYTES_MAX);
        for (long seed = SEED; seed < SEED + 100; seed++) {
            Random random = new Random(seed);
            int total = 0;
            byte[] payload = new byte[0];
            for (int members = 1 + random.nextInt(4); members > 0; members--) {
                byte[] content = new byte[random.nextInt(BYTES_MAX)];
                total += content.length;
                payload = joined(payload, gzip(content));
            }
            List<Integer> elements = decode(sizes, payload, seed);
            if (total <= BYTES_MAX) {
                assertThat(elements).as("seed %d", seed).containsExactly(total);
            } else {
                assertThat(elements).as("seed %d", seed).isNull();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 1_000, 100_000, 1_000_000})
    void deepJsonEndsInADeclaredException(int depth) throws IOException {
        for (String text : List.of(
                "[".repeat(depth),
                "{\"open\":".repeat(depth),
                "{\"nested\":[".repeat(depth),
                "{\"open\":" + "[".repeat(depth) + "]".repeat(depth) + "}",
                "{\"unknown\":" + "{\"a\":".repeat(depth) + "1" + "}".repeat(depth) + "}",
                "{\"logEvents\":" + "[".repeat(depth))) {
            decode(RecordDecoder.of(Json.of(Everything.class)), text.getBytes(UTF_8), depth);
            decode(RecordDecoder.of(Json.of(Object.class)), text.getBytes(UTF_8), depth);
            decode(CloudWatchLogs.events(), gzip(text), depth);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"integer\":1e999999999}", "{\"large\":1e999999999}", "{\"number\":1e99999}",
                        "{\"instant\":1e999999999}",
                "{\"instant\":1e20}", "{\"duration\":1e999999999}", "{\"duration\":9e18}",
                        "{\"date\":[999999999999,1,1]}",
                "{\"instant\":-1e999999999}", "{\"date\":\"+999999999-12-31\"}", "{\"decimal\":1e9999999999}"
            })
    void numbersOutOfBoundsTakeNoTimeAndEndInADeclaredException(String text) {
        decode(RecordDecoder.of(Json.of(Everything.class)), text.getBytes(UTF_8), 0);
    }

    /** A class that a document could ask for if it named types. */
    static final class Gadget {
        static int made;

        public Gadget() {
            made++;
        }
    }

    record Holder(@Nullable Object any, @Nullable Map<String, Object> map) {}

    @Test
    void noDocumentNamesAClassThatIsMade() throws IOException {
        String name = Gadget.class.getName();
        for (String any : List.of(
                "[\"" + name + "\",{}]",
                "{\"@class\":\"" + name + "\"}",
                "{\"@type\":\"" + name + "\"}",
                "{\"@c\":\"" + name + "\"}")) {
            Holder holder = Json.of(Holder.class)
                    .deserialize(("{\"any\":" + any + ",\"map\":{\"m\":" + any + "}}").getBytes(UTF_8));
            assertThat(holder.any()).isInstanceOfAny(List.class, Map.class);
            Json.of(Object.class).deserialize(any.getBytes(UTF_8));
        }
        assertThat(Gadget.made).isZero();
    }

    /** Who annotates a property so that documents name classes is refused what he would get elsewhere. */
    record Polymorphic(
            @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS) @Nullable
            Object any) {}

    @Test
    void aPropertyThatAsksForNamedClassesIsRefused() {
        String document = "{\"any\":{\"@class\":\"" + Gadget.class.getName() + "\"}}";
        assertThatThrownBy(() -> Json.of(Polymorphic.class).deserialize(document.getBytes(UTF_8)))
                .isInstanceOf(IOException.class);
        assertThat(Gadget.made).isZero();
    }
}
