package io.millrace.local.internal.s3;

import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** An object on its way in parts. Not thread-safe: it lives in a {@link Bucket}. */
final class MultipartUpload {
    /** A part as it is stored. Immutable: its content is never changed. */
    static final class Part {
        private final int number;
        private final byte[] content;
        private final byte[] md5;
        private final @Nullable StoredChecksum checksum;
        private final Instant lastModified;

        Part(int number, byte[] content, byte[] md5, @Nullable StoredChecksum checksum, Instant lastModified) {
            this.number = number;
            this.content = content;
            this.md5 = md5;
            this.checksum = checksum;
            this.lastModified = lastModified;
        }

        int number() {
            return number;
        }

        byte[] content() {
            return content;
        }

        byte[] md5() {
            return md5;
        }

        String etag() {
            return S3Values.etag(md5);
        }

        @Nullable
        StoredChecksum checksum() {
            return checksum;
        }

        Instant lastModified() {
            return lastModified;
        }
    }

    private final String id;
    private final String key;
    private final Instant initiated;
    private final Map<String, String> keptHeaders;
    private final @Nullable ChecksumAlgorithm algorithm;
    private final ChecksumType checksumType;
    private final NavigableMap<Integer, Part> parts = new TreeMap<>();

    /** @param algorithm of the checksums that the parts come with; null if none was announced */
    MultipartUpload(
            String id,
            String key,
            Instant initiated,
            Map<String, String> keptHeaders,
            @Nullable ChecksumAlgorithm algorithm,
            ChecksumType checksumType) {
        this.id = id;
        this.key = key;
        this.initiated = initiated;
        this.keptHeaders = keptHeaders;
        this.algorithm = algorithm;
        this.checksumType = checksumType;
    }

    String id() {
        return id;
    }

    String key() {
        return key;
    }

    Instant initiated() {
        return initiated;
    }

    Map<String, String> keptHeaders() {
        return keptHeaders;
    }

    @Nullable
    ChecksumAlgorithm algorithm() {
        return algorithm;
    }

    ChecksumType checksumType() {
        return checksumType;
    }

    NavigableMap<Integer, Part> parts() {
        return parts;
    }

    /**
     * Refuses a part whose checksum is not of the kind that the upload was begun with. One begun without takes any: it only
     * guards the way of the part.
     */
    void checkChecksumOfPart(@Nullable StoredChecksum given) {
        ChecksumAlgorithm actual = given == null ? null : given.algorithm();
        boolean mayLack = actual == null && checksumType == ChecksumType.FULL_OBJECT;
        if (algorithm != null && actual != algorithm && !mayLack) {
            throw S3Errors.invalidRequest("Checksum Type mismatch occurred, expected checksum Type: "
                    + nameOf(algorithm) + ", actual checksum Type: " + nameOf(actual));
        }
    }

    private static String nameOf(@Nullable ChecksumAlgorithm algorithm) {
        return algorithm == null ? "null" : algorithm.name().toLowerCase(Locale.ROOT);
    }
}
