package io.millrace.serde;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A record whose bytes are not what a decoder expects. The message says where and why, and quotes little of them. */
public final class DecodingException extends IOException {
    private static final long serialVersionUID = 1L;

    private static final int QUOTED_CHARACTERS_MAX = 60;

    private DecodingException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    static DecodingException notGzip(int bytes) {
        return new DecodingException(
                "The " + bytes + " bytes are not compressed by gzip: they do not begin with 1F 8B. If the stream mixes"
                        + " compressed and plain records, use Gzip.of(...).orPlain().",
                null);
    }

    static DecodingException gzip(int at, int bytes, String what) {
        return new DecodingException(
                "The gzip data of " + bytes + " bytes is broken at byte " + at + ": " + what, null);
    }

    static DecodingException badDeflate(int at, int bytes, Throwable cause) {
        return new DecodingException(
                "The gzip data of " + bytes + " bytes is broken at byte " + at + ": " + cause.getMessage(), cause);
    }

    static DecodingException tooLargeUncompressed(int compressedBytes, int bytesMax) {
        return new DecodingException(
                "The " + compressedBytes + " bytes of gzip data have more than " + bytesMax
                        + " bytes when they are uncompressed, which is the limit. If that is no attack, raise it by"
                        + " withBytesMax(...), and the function's memory with it.",
                null);
    }

    static DecodingException noEnvelope(int bytes) {
        return new DecodingException(
                "The " + bytes + " bytes hold no CloudWatch Logs envelope, which is a JSON object.", null);
    }

    static DecodingException envelope(int number, String what) {
        return new DecodingException("The CloudWatch Logs envelope number " + number + " of the record " + what, null);
    }

    static DecodingException json(String what, Throwable cause) {
        return new DecodingException(what, cause);
    }

    /** A text as an error message may quote it. */
    static String quoted(String text) {
        return text.length() <= QUOTED_CHARACTERS_MAX
                ? "'" + text + "'"
                : "'" + text.substring(0, QUOTED_CHARACTERS_MAX) + "...' (" + text.length() + " characters)";
    }
}
