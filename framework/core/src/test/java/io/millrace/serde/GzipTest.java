package io.millrace.serde;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import org.junit.jupiter.api.Test;

class GzipTest {
    private static final Gzip<String> TEXTS = Gzip.of(new Texts());

    private static String read(RecordDecoder<String> decoder, byte[] payload) throws Exception {
        List<String> elements = new ArrayList<>();
        decoder.decode(StreamRecord.of(payload), elements::add);
        assertThat(elements).hasSize(1);
        return elements.get(0);
    }

    private static void assertBroken(byte[] payload, String what) {
        assertThatThrownBy(() -> read(TEXTS, payload))
                .isInstanceOf(DecodingException.class)
                .hasMessageContaining("gzip data of " + payload.length + " bytes is broken at byte")
                .hasMessageContaining(what);
    }

    private static byte[] gzip(String text) throws IOException {
        return Compressed.gzip(text.getBytes(UTF_8));
    }

    @Test
    void whatIsCompressedIsDecoded() throws Exception {
        assertThat(read(TEXTS, gzip("Größe"))).isEqualTo("Größe");
        assertThat(read(TEXTS, gzip(""))).isEmpty();
    }

    @Test
    void membersOneBehindTheOtherAreOneContent() throws Exception {
        assertThat(read(TEXTS, Compressed.joined(gzip("one"), gzip(""), gzip("two"))))
                .isEqualTo("onetwo");
    }

    @Test
    void allFieldsOfAHeaderArePassed() throws Exception {
        byte[] plain = gzip("x".repeat(1_000));
        ByteArrayOutputStream header = new ByteArrayOutputStream();
        header.writeBytes(new byte[] {0x1f, (byte) 0x8b, 8, 0x1f, 1, 2, 3, 4, 2, 3});
        header.writeBytes(new byte[] {3, 0, 'e', 'x', 't'});
        header.writeBytes("name\0comment\0".getBytes(UTF_8));
        CRC32 crc = new CRC32();
        crc.update(header.toByteArray());
        header.write((int) crc.getValue());
        header.write((int) (crc.getValue() >>> 8));
        byte[] withFields = Compressed.joined(header.toByteArray(), Arrays.copyOfRange(plain, 10, plain.length));

        assertThat(read(TEXTS, withFields)).hasSize(1_000);
        withFields[header.size() - 1] ^= 1;
        assertBroken(withFields, "the header's CRC is wrong");
    }

    @Test
    void garbageBehindTheLastMemberIsNoEnd() throws Exception {
        byte[] good = gzip("good");
        assertBroken(Compressed.joined(good, new byte[] {0}), "something behind the last member");
        assertBroken(Compressed.joined(good, "{}".getBytes(UTF_8)), "something behind the last member");
        assertBroken(Compressed.joined(good, new byte[] {0x1f, (byte) 0x8b}), "it is cut");
    }

    @Test
    void everyCutIsSeen() throws Exception {
        byte[] good = gzip("some text that is compressed, some text that is compressed");
        for (int length = 2; length < good.length; length++) {
            assertBroken(Arrays.copyOf(good, length), "it is cut");
        }
    }

    @Test
    void everyChangedBitThatChangesTheContentIsSeen() throws Exception {
        String text = "some text that is compressed, some text that is compressed";
        byte[] good = gzip(text);
        int harmless = 0;
        for (int bit = 10 * 8; bit < good.length * 8; bit++) {
            byte[] bad = good.clone();
            bad[bit / 8] ^= (byte) (1 << (bit % 8));
            try {
                assertThat(read(TEXTS, bad)).as("bit " + bit).isEqualTo(text);
                harmless++;
            } catch (DecodingException expected) {
                assertThat(expected).hasMessageContaining("gzip data");
            }
        }
        assertThat(harmless).as("those that fill the last byte").isLessThan(8);
    }

    @Test
    void checksumAndLengthAreChecked() throws Exception {
        byte[] good = gzip("text");
        byte[] wrongCrc = good.clone();
        wrongCrc[good.length - 8]++;
        assertBroken(wrongCrc, "the CRC of what was uncompressed is wrong");
        byte[] wrongLength = good.clone();
        wrongLength[good.length - 1]++;
        assertBroken(wrongLength, "the length of what was uncompressed is wrong");
    }

    @Test
    void unknownMethodsAndFlagsAreRefused() throws Exception {
        byte[] method = gzip("text");
        method[2] = 7;
        assertBroken(method, "the method is not deflate");
        byte[] flags = gzip("text");
        flags[3] = 0x20;
        assertBroken(flags, "the flags 32 are not known");
    }

    @Test
    void aBombIsStoppedAtTheLimitWhichIsNamed() throws Exception {
        byte[] bomb = Compressed.gzip(new byte[Gzip.BYTES_MAX_DEFAULT + 1]);
        assertThat(bomb.length).isLessThan(100_000);
        assertThatThrownBy(() -> read(TEXTS, bomb))
                .isInstanceOf(DecodingException.class)
                .hasMessageContaining(bomb.length + " bytes of gzip data have more than 33554432 bytes")
                .hasMessageContaining("withBytesMax");
    }

    @Test
    void theLimitHoldsForAllMembersTogetherAndIsInclusive() throws Exception {
        Gzip<String> ten = TEXTS.withBytesMax(10);
        assertThat(read(ten, gzip("0123456789"))).hasSize(10);
        assertThat(read(ten, Compressed.joined(gzip("01234"), gzip("56789")))).hasSize(10);
        assertThatThrownBy(() -> read(ten, gzip("0123456789a"))).hasMessageContaining("more than 10 bytes");
        assertThatThrownBy(() -> read(ten, Compressed.joined(gzip("01234"), gzip("56789a"))))
                .hasMessageContaining("more than 10 bytes");
        assertThatThrownBy(() -> TEXTS.withBytesMax(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("bytesMax is 0; 1 or more are allowed");
    }

    @Test
    void plainDataIsAnErrorUnlessItIsAllowed() throws Exception {
        assertThatThrownBy(() -> read(TEXTS, "plain".getBytes(UTF_8)))
                .isInstanceOf(DecodingException.class)
                .hasMessageContaining("The 5 bytes are not compressed by gzip")
                .hasMessageContaining("orPlain()");
        assertThatThrownBy(() -> read(TEXTS, new byte[0])).isInstanceOf(DecodingException.class);

        Gzip<String> lenient = TEXTS.orPlain();
        assertThat(read(lenient, "plain".getBytes(UTF_8))).isEqualTo("plain");
        assertThat(read(lenient, new byte[0])).isEmpty();
        assertThat(read(lenient, new byte[] {0x1f})).hasSize(1);
        assertThat(read(lenient, gzip("compressed"))).isEqualTo("compressed");
        assertThatThrownBy(() -> read(lenient.withBytesMax(1), gzip("compressed")))
                .hasMessageContaining("more than 1 bytes");
    }

    @Test
    void theDecoderInsideSeesTheRecordsMetadata() throws Exception {
        List<String> seen = new ArrayList<>();
        RecordDecoder<String> metadata = (record, out) -> out.collect(record.partitionKey() + " " + record.arrival()
                + " " + record.sequenceNumber() + ":" + record.subSequence() + " " + record.size());
        Gzip.of(metadata)
                .decode(
                        StreamRecord.of(gzip("four"))
                                .withPartitionKey("k")
                                .withArrival(Instant.ofEpochSecond(7))
                                .withPosition("12", 3),
                        seen::add);

        assertThat(seen).containsExactly("k 1970-01-01T00:00:07Z 12:3 4");
    }

    @Test
    void itDescribesItselfByWhatIsInside() {
        assertThat(Gzip.of(Json.of(String.class)).description()).isEqualTo("gzip(json:java.lang.String)");
        assertThat(Gzip.of(Json.of(String.class)).elementSerde()).isPresent();
        assertThat(Gzip.of((RecordDecoder<String>) (record, out) -> {}).elementSerde())
                .isEmpty();
    }

    /** UTF-8 text. */
    private static final class Texts implements Serde<String> {
        @Override
        public byte[] serialize(String value) {
            return value.getBytes(UTF_8);
        }

        @Override
        public String deserialize(byte[] data) {
            return new String(data, UTF_8);
        }
    }

    @Test
    void whatNeedsADictionaryIsRefused() {
        Deflater deflater = new Deflater(Deflater.DEFAULT_COMPRESSION, true);
        deflater.setDictionary("dictionary".getBytes(UTF_8));
        deflater.setInput("dictionary dictionary".getBytes(UTF_8));
        deflater.finish();
        byte[] buffer = new byte[100];
        int length = deflater.deflate(buffer);
        deflater.end();
        byte[] header = {0x1f, (byte) 0x8b, 8, 0, 0, 0, 0, 0, 0, 0};

        assertBroken(Compressed.joined(header, Arrays.copyOf(buffer, length), new byte[8]), "invalid distance");
    }
}
