package io.millrace.local.internal.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.local.internal.AwsServiceException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ChunkedBodyTest {
    private static final String FULL_CHUNK = "x".repeat(S3Limits.CHUNK_BYTES_MIN);

    @Test
    void chunksAreJoined() {
        ChunkedBody body = decode("2000\r\n" + FULL_CHUNK + "\r\n5\r\nhello\r\n0\r\n\r\n", 8_197);
        assertThat(text(body)).isEqualTo(FULL_CHUNK + "hello");
        assertThat(body.trailers()).isEmpty();
    }

    @Test
    void emptyContentIsTheLastChunkOnly() {
        assertThat(text(decode("0\r\n\r\n", 0))).isEmpty();
    }

    /** Bytes that look like the encoding are content. */
    @Test
    void contentMayHaveLineEnds() {
        assertThat(text(decode("7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n", 7))).isEqualTo("\r\n0\r\n\r\n");
    }

    @Test
    void signaturesAreNotContent() {
        String raw = String.join(
                "\r\n",
                "a;chunk-signature=ab12",
                "0123456789",
                "0;chunk-signature=cd34",
                "X-Amz-Checksum-Crc32: y/Q5Jg==",
                "x-amz-trailer-signature:ef56",
                "",
                "");
        ChunkedBody body = decode(raw, 10);
        assertThat(text(body)).isEqualTo("0123456789");
        assertThat(body.trailers())
                .containsExactlyInAnyOrderEntriesOf(
                        Map.of("x-amz-checksum-crc32", "y/Q5Jg==", "x-amz-trailer-signature", "ef56"));
    }

    @Test
    void sizesAreHexadecimal() {
        assertThat(text(decode("1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n", 26)))
                .hasSize(26);
    }

    @Test
    void bodyThatEndsEarlyIsIncomplete() {
        String whole = "5\r\nhello\r\n0\r\n\r\n";
        // Without its last line end the body has all of its content, and only trailers could be missing.
        for (int length = 0; length < whole.length() - 2; length++) {
            assertThat(refusal(whole.substring(0, length), 5))
                    .as("%s bytes", length)
                    .isEqualTo("IncompleteBody");
        }
    }

    @Test
    void contentOfAnotherLengthIsIncomplete() {
        assertThat(refusal("5\r\nhello\r\n0\r\n\r\n", 4)).isEqualTo("IncompleteBody");
        assertThat(refusal("5\r\nhello\r\n0\r\n\r\n", 6)).isEqualTo("IncompleteBody");
        assertThat(refusal("5\r\nhello\r\n0\r\n\r\n", 1_000)).isEqualTo("IncompleteBody");
        assertThat(refusal("5\r\nhello\r\n0\r\n\r\n", -1)).isEqualTo("IncompleteBody");
    }

    @Test
    void chunkWithoutASizeIsIncomplete() {
        for (String head : new String[] {"", "g", "-1", "5 ", "7fffffffff"}) {
            assertThat(refusal(head + "\r\nhello\r\n0\r\n\r\n", 5)).as(head).isEqualTo("IncompleteBody");
        }
        assertThat(refusal("5\r\nhello!\r\n0\r\n\r\n", 5)).isEqualTo("IncompleteBody");
    }

    @Test
    void onlyTheLastChunkMayBeSmall() {
        assertThat(refusal("1fff\r\n" + FULL_CHUNK.substring(1) + "\r\n1\r\nx\r\n0\r\n\r\n", 8_192))
                .isEqualTo("InvalidChunkSizeError");
    }

    @Test
    void trailerHasAName() {
        assertThat(refusal("0\r\nnonsense\r\n\r\n", 0)).isEqualTo("MalformedTrailerError");
        assertThat(refusal("0\r\n:value\r\n\r\n", 0)).isEqualTo("MalformedTrailerError");
    }

    private static ChunkedBody decode(String raw, long contentBytes) {
        return ChunkedBody.decode(raw.getBytes(StandardCharsets.US_ASCII), contentBytes);
    }

    private static String text(ChunkedBody body) {
        return new String(body.content(), StandardCharsets.US_ASCII);
    }

    private static String refusal(String raw, long contentBytes) {
        return catchThrowableOfType(AwsServiceException.class, () -> decode(raw, contentBytes))
                .code();
    }
}
