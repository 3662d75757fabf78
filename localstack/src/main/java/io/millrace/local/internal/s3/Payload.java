package io.millrace.local.internal.s3;

import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The content of a request, decoded, and equal to every digest that the request gives. */
final class Payload {
    private static final String CHUNKED = "aws-chunked";
    private static final String SHA256_HEADER = "x-amz-content-sha256";
    private static final String MD5_HEADER = "Content-MD5";
    private static final String SDK_ALGORITHM_HEADER = "x-amz-sdk-checksum-algorithm";
    private static final int MD5_BYTES = 16;
    private static final int SHA256_HEX_CHARACTERS = 64;

    private final byte[] content;
    private final byte[] md5;
    private final @Nullable StoredChecksum checksum;

    private Payload(byte[] content, byte[] md5, @Nullable StoredChecksum checksum) {
        this.content = content;
        this.md5 = md5;
        this.checksum = checksum;
    }

    /** Reads and verifies the content of an upload. */
    static Payload ofUpload(S3Request request) {
        return read(request, true);
    }

    /** Reads a document whose checksum headers, if any, are of something else. */
    static byte[] document(S3Request request) {
        return read(request, false).content;
    }

    /** Reads a document that must come with a digest. */
    static byte[] digestedDocument(S3Request request) {
        Payload payload = read(request, true);
        if (payload.checksum == null && request.header(MD5_HEADER) == null) {
            throw S3Errors.invalidRequest("Missing required header for this request: Content-MD5");
        }
        return payload.content;
    }

    byte[] content() {
        return content;
    }

    byte[] md5() {
        return md5;
    }

    /** The checksum that the request gives, or null. */
    @Nullable
    StoredChecksum checksum() {
        return checksum;
    }

    private static Payload read(S3Request request, boolean checksummed) {
        byte[] content = request.rawBody();
        Map<String, String> trailers = Map.of();
        boolean chunked = isChunked(request);
        checkSize(request, chunked);
        if (chunked) {
            ChunkedBody body = ChunkedBody.decode(content, decodedBytes(request));
            content = body.content();
            trailers = body.trailers();
        }
        byte[] md5 = ChecksumAlgorithm.digest("MD5", List.of(content));
        verifySha256(request, content);
        verifyMd5(request, md5);
        return new Payload(content, md5, checksummed ? verifiedChecksum(request, trailers, content) : null);
    }

    private static boolean isChunked(S3Request request) {
        String sha256 = request.header(SHA256_HEADER);
        String encoding = request.header("Content-Encoding");
        return (sha256 != null && sha256.startsWith("STREAMING-"))
                || (encoding != null && encoding.toLowerCase(Locale.ROOT).contains(CHUNKED));
    }

    /** What is left of a {@code Content-Encoding} without that of the transport; empty if nothing is. */
    static String contentEncoding(String header) {
        StringBuilder rest = new StringBuilder();
        for (String encoding : header.split(",", -1)) {
            if (!encoding.isBlank() && !encoding.strip().equalsIgnoreCase(CHUNKED)) {
                rest.append(rest.isEmpty() ? "" : ",").append(encoding.strip());
            }
        }
        return rest.toString();
    }

    private static void checkSize(S3Request request, boolean chunked) {
        long bytes = chunked ? decodedBytes(request) : length(request.header("Content-Length"), 0);
        if (bytes > S3Limits.UPLOAD_BYTES_MAX) {
            throw S3Errors.entityTooLarge(bytes, S3Limits.UPLOAD_BYTES_MAX);
        }
    }

    private static long decodedBytes(S3Request request) {
        long bytes = length(request.header("x-amz-decoded-content-length"), -1);
        if (bytes < 0) {
            throw S3Errors.missingContentLength();
        }
        return bytes;
    }

    private static long length(@Nullable String header, long otherwise) {
        try {
            return header == null ? otherwise : Long.parseLong(header.strip());
        } catch (NumberFormatException e) {
            throw S3Errors.missingContentLength();
        }
    }

    private static void verifySha256(S3Request request, byte[] content) {
        String given = request.header(SHA256_HEADER);
        if (given != null && given.length() == SHA256_HEX_CHARACTERS) {
            String computed = HexFormat.of().formatHex(ChecksumAlgorithm.digest("SHA-256", List.of(content)));
            if (!computed.equals(given.toLowerCase(Locale.ROOT))) {
                throw S3Errors.contentSha256Mismatch(given, computed);
            }
        }
    }

    private static void verifyMd5(S3Request request, byte[] md5) {
        String given = request.header(MD5_HEADER);
        if (given == null) {
            return;
        }
        byte[] expected;
        try {
            expected = Base64.getDecoder().decode(given.strip());
        } catch (IllegalArgumentException e) {
            throw S3Errors.invalidDigest(given);
        }
        if (expected.length != MD5_BYTES) {
            throw S3Errors.invalidDigest(given);
        }
        if (!Arrays.equals(expected, md5)) {
            throw S3Errors.badMd5(given, Base64.getEncoder().encodeToString(md5));
        }
    }

    private static @Nullable StoredChecksum verifiedChecksum(
            S3Request request, Map<String, String> trailers, byte[] content) {
        ChecksumAlgorithm found = null;
        String value = "";
        for (ChecksumAlgorithm algorithm : ChecksumAlgorithm.values()) {
            String given = request.header(algorithm.header());
            given = given == null ? trailers.get(algorithm.header()) : given;
            if (given != null) {
                if (found != null) {
                    throw S3Errors.invalidRequest(
                            "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.");
                }
                found = algorithm;
                value = given.strip();
            }
        }
        checkAnnounced(request, trailers, found);
        if (found == null) {
            return null;
        }
        if (!found.isWellFormed(value)) {
            throw S3Errors.invalidRequest("Value for " + found.header() + " header is invalid.");
        }
        if (!found.of(List.of(content)).equals(value)) {
            throw S3Errors.badChecksum(found);
        }
        return new StoredChecksum(found, value, ChecksumType.FULL_OBJECT);
    }

    /** A checksum that the headers announce must be there. */
    private static void checkAnnounced(
            S3Request request, Map<String, String> trailers, @Nullable ChecksumAlgorithm found) {
        String announced = request.header("x-amz-trailer");
        if (announced != null) {
            for (String name : announced.split(",", -1)) {
                if (!trailers.containsKey(name.strip().toLowerCase(Locale.ROOT))) {
                    throw S3Errors.malformedTrailer();
                }
            }
        }
        String algorithm = request.header(SDK_ALGORITHM_HEADER);
        if (algorithm != null && found == null) {
            throw S3Errors.invalidRequest(SDK_ALGORITHM_HEADER
                    + " specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.");
        }
    }
}
