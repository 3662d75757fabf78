package io.millrace.local.internal.s3;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The headers of requests: those kept with an object, and those that ask for what the embedded AWS does not have. */
final class RequestHeaders {
    private static final String DEFAULT_CONTENT_TYPE = "binary/octet-stream";
    private static final String METADATA_PREFIX = "x-amz-meta-";
    private static final List<String> KEPT =
            List.of("Cache-Control", "Content-Disposition", "Content-Language", "Expires");

    /** Headers that ask for what is there anyway if they have this value, and for what is not otherwise. */
    private static final Map<String, String> ONLY_VALUES = Map.of(
            "x-amz-acl", "private",
            "x-amz-server-side-encryption", "AES256",
            "x-amz-storage-class", "STANDARD",
            "x-amz-object-ownership", "BucketOwnerEnforced",
            "x-amz-bucket-object-lock-enabled", "false");

    private static final List<String> UNSUPPORTED_PREFIXES = List.of(
            "x-amz-grant-",
            "x-amz-tagging",
            "x-amz-object-lock-",
            "x-amz-website-redirect-location",
            "x-amz-server-side-encryption-",
            "x-amz-write-offset-bytes",
            "x-amz-mfa",
            "x-amz-if-match-",
            "x-amz-rename-source",
            "x-amz-bypass-governance-retention");

    private static final Set<String> CHECKSUM_HEADERS = Arrays.stream(ChecksumAlgorithm.values())
            .map(ChecksumAlgorithm::header)
            .collect(Collectors.toUnmodifiableSet());
    private static final Set<String> OTHER_CHECKSUM_HEADERS =
            Set.of("x-amz-checksum-mode", "x-amz-checksum-algorithm", StoredChecksum.TYPE_HEADER);

    private RequestHeaders() {}

    /** Refuses a request that asks for what is not there, or that expects another owner of the bucket. */
    static void check(S3Request request, String account) {
        request.headers().forEach((name, value) -> {
            boolean unknownChecksum = name.startsWith(ChecksumAlgorithm.HEADER_PREFIX)
                    && !CHECKSUM_HEADERS.contains(name)
                    && !OTHER_CHECKSUM_HEADERS.contains(name);
            if (unknownChecksum
                    || !value.equalsIgnoreCase(ONLY_VALUES.getOrDefault(name, value))
                    || UNSUPPORTED_PREFIXES.stream().anyMatch(name::startsWith)) {
                throw S3Errors.headerNotImplemented(name);
            }
        });
        String owner = request.header("x-amz-expected-bucket-owner");
        if (owner != null && !owner.equals(account)) {
            throw S3Errors.accessDenied();
        }
    }

    /** What is kept with an object and comes back with it, by header; refuses more user metadata than AWS takes. */
    static Map<String, String> kept(S3Request request) {
        Map<String, String> kept = new LinkedHashMap<>();
        String contentType = request.header("Content-Type");
        kept.put("Content-Type", contentType == null ? DEFAULT_CONTENT_TYPE : contentType);
        String encodingHeader = request.header("Content-Encoding");
        String encoding = encodingHeader == null ? "" : Payload.contentEncoding(encodingHeader);
        if (!encoding.isEmpty()) {
            kept.put("Content-Encoding", encoding);
        }
        for (String name : KEPT) {
            String value = request.header(name);
            if (value != null) {
                kept.put(name, value);
            }
        }
        int metadataBytes = 0;
        for (Map.Entry<String, String> header : request.headers().entrySet()) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (name.startsWith(METADATA_PREFIX)) {
                kept.put(name, header.getValue());
                metadataBytes += bytes(name.substring(METADATA_PREFIX.length())) + bytes(header.getValue());
            }
        }
        if (metadataBytes > S3Limits.METADATA_BYTES_MAX) {
            throw S3Errors.metadataTooLarge(metadataBytes);
        }
        return kept;
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
