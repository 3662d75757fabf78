package io.millrace.local.internal.s3;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The content and the trailers of a body in the encoding {@code aws-chunked}: chunks of a size in hexadecimal, perhaps a
 * signature, and so many bytes, up to one of no bytes, and then trailers like headers. Signatures are not checked.
 */
final class ChunkedBody {
    private static final int HEX = 16;
    private static final int CHUNK_HEAD_BYTES_MAX = 1_024;
    private static final int TRAILER_BYTES_MAX = 4_096;

    private final byte[] raw;
    private final byte[] content;
    private final Map<String, String> trailers = new LinkedHashMap<>();
    private int at;
    private int filled;

    private ChunkedBody(byte[] raw, int contentBytes) {
        this.raw = raw;
        this.content = new byte[contentBytes];
    }

    /**
     * Decodes a body.
     *
     * @param contentBytes what {@code x-amz-decoded-content-length} says
     */
    static ChunkedBody decode(byte[] raw, long contentBytes) {
        if (contentBytes < 0 || contentBytes > raw.length) {
            throw S3Errors.incompleteBody();
        }
        ChunkedBody body = new ChunkedBody(raw, (int) contentBytes);
        body.readChunks();
        body.readTrailers();
        return body;
    }

    byte[] content() {
        return content;
    }

    /** The trailers by name in lower case. */
    Map<String, String> trailers() {
        return trailers;
    }

    private void readChunks() {
        int lastBytes = S3Limits.CHUNK_BYTES_MIN;
        // Each round consumes at least the head's line, so the body's length bounds them.
        for (int chunk = 1; ; chunk++) {
            int bytes = chunkBytes(line(CHUNK_HEAD_BYTES_MAX));
            if (bytes > 0 && lastBytes < S3Limits.CHUNK_BYTES_MIN) {
                throw S3Errors.invalidChunkSize(chunk - 1, lastBytes);
            }
            if (bytes == 0) {
                break;
            }
            if (bytes > raw.length - at || bytes > content.length - filled) {
                throw S3Errors.incompleteBody();
            }
            System.arraycopy(raw, at, content, filled, bytes);
            at += bytes;
            filled += bytes;
            lastBytes = bytes;
            if (!line(0).isEmpty()) {
                throw S3Errors.incompleteBody();
            }
        }
        if (filled != content.length) {
            throw S3Errors.incompleteBody();
        }
    }

    private void readTrailers() {
        while (at < raw.length) {
            String line = line(TRAILER_BYTES_MAX);
            if (line.isEmpty()) {
                break;
            }
            int colon = line.indexOf(':');
            if (colon <= 0) {
                throw S3Errors.malformedTrailer();
            }
            trailers.put(
                    line.substring(0, colon).strip().toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
    }

    private static int chunkBytes(String head) {
        int semicolon = head.indexOf(';');
        try {
            int bytes = Integer.parseInt(semicolon < 0 ? head : head.substring(0, semicolon), HEX);
            if (bytes >= 0) {
                return bytes;
            }
        } catch (NumberFormatException e) {
            // Refused below, as a negative size is.
        }
        throw S3Errors.incompleteBody();
    }

    /** The text up to the next line end, which is consumed. */
    private String line(int bytesMax) {
        int end = at;
        while (end + 1 < raw.length && !(raw[end] == '\r' && raw[end + 1] == '\n')) {
            end++;
            if (end - at > bytesMax) {
                throw S3Errors.incompleteBody();
            }
        }
        if (end + 1 >= raw.length) {
            throw S3Errors.incompleteBody();
        }
        String line = new String(raw, at, end - at, StandardCharsets.US_ASCII);
        at = end + 2;
        return line;
    }
}
