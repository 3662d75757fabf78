package io.millrace.local.internal.s3;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/** The parts that make an object, checked against those that the request to complete the upload names. */
final class Assembly {
    private static final int CONTENT_BYTES_MAX = Integer.MAX_VALUE - 8;

    private final MultipartUpload upload;
    private final List<MultipartUpload.Part> parts;

    private Assembly(MultipartUpload upload, List<MultipartUpload.Part> parts) {
        this.upload = upload;
        this.parts = parts;
    }

    /** Finds the parts; refuses what the upload does not have so. Call it under the lock of the buckets. */
    static Assembly of(MultipartUpload upload, List<XmlElement> listed) {
        if (listed.isEmpty() || listed.size() > S3Limits.PARTS_MAX) {
            throw S3Errors.malformedXml();
        }
        checkOrder(upload, listed);
        List<MultipartUpload.Part> parts = new ArrayList<>();
        for (XmlElement element : listed) {
            parts.add(find(upload, element));
        }
        for (MultipartUpload.Part part : parts.subList(0, parts.size() - 1)) {
            if (part.content().length < S3Limits.PART_BYTES_MIN) {
                throw S3Errors.entityTooSmall(part.number(), part.etag(), part.content().length);
            }
        }
        return new Assembly(upload, List.copyOf(parts));
    }

    /** Puts the object together; refuses it if it is not what the request says it is. */
    StoredObject object(S3Request request, Instant now) {
        byte[] content = content();
        String size = request.header("x-amz-mp-object-size");
        if (size != null && !size.strip().equals(Integer.toString(content.length))) {
            throw S3Errors.invalidRequest("The provided 'x-amz-mp-object-size' header value " + size
                    + " does not match what was computed: " + content.length);
        }
        StoredChecksum checksum = checksum(content);
        verify(request, checksum);
        byte[] md5OfMd5s = ChecksumAlgorithm.digest(
                "MD5", parts.stream().map(MultipartUpload.Part::md5).toList());
        String etag = S3Values.etag(md5OfMd5s) + "-" + parts.size();
        return new StoredObject(upload.key(), content, etag, now, upload.keptHeaders(), checksum);
    }

    private byte[] content() {
        long bytes = parts.stream().mapToLong(part -> part.content().length).sum();
        if (bytes > CONTENT_BYTES_MAX) {
            throw S3Errors.notImplemented(
                    "objects of " + bytes + " bytes; it holds up to " + CONTENT_BYTES_MAX + " bytes in one");
        }
        byte[] content = new byte[(int) bytes];
        int at = 0;
        for (MultipartUpload.Part part : parts) {
            System.arraycopy(part.content(), 0, content, at, part.content().length);
            at += part.content().length;
        }
        return content;
    }

    private StoredChecksum checksum(byte[] content) {
        ChecksumAlgorithm algorithm = upload.algorithm();
        if (algorithm == null || upload.checksumType() == ChecksumType.FULL_OBJECT) {
            ChecksumAlgorithm used = algorithm == null ? ChecksumAlgorithm.DEFAULT : algorithm;
            return new StoredChecksum(used, used.of(List.of(content)), ChecksumType.FULL_OBJECT);
        }
        List<byte[]> checksums = new ArrayList<>();
        for (MultipartUpload.Part part : parts) {
            StoredChecksum checksum = part.checksum();
            if (checksum == null) {
                throw new IllegalStateException("Part " + part.number() + " was taken without its checksum");
            }
            checksums.add(Base64.getDecoder().decode(checksum.value()));
        }
        return new StoredChecksum(algorithm, algorithm.of(checksums) + "-" + parts.size(), ChecksumType.COMPOSITE);
    }

    private static void verify(S3Request request, StoredChecksum checksum) {
        String type = request.header(StoredChecksum.TYPE_HEADER);
        if (type != null && !type.strip().equalsIgnoreCase(checksum.type().name())) {
            throw S3Errors.invalidRequest("The upload was created with the checksum type " + checksum.type()
                    + ", and the complete request says " + type.strip() + ".");
        }
        String given = request.header(checksum.algorithm().header());
        if (given != null && !given.strip().equals(checksum.value())) {
            throw S3Errors.badChecksum(checksum.algorithm());
        }
    }

    private static void checkOrder(MultipartUpload upload, List<XmlElement> listed) {
        int before = 0;
        for (XmlElement element : listed) {
            int number = number(element);
            if (number <= before) {
                throw S3Errors.invalidPartOrder(upload.id());
            }
            before = number;
        }
    }

    private static MultipartUpload.Part find(MultipartUpload upload, XmlElement element) {
        int number = number(element);
        String etag = S3Values.unquoted(element.required("ETag"));
        MultipartUpload.Part part = upload.parts().get(number);
        if (part == null || !part.etag().equals(etag)) {
            throw S3Errors.invalidPart(upload.id(), number, etag);
        }
        checkChecksum(upload, part, element);
        return part;
    }

    private static void checkChecksum(MultipartUpload upload, MultipartUpload.Part part, XmlElement element) {
        ChecksumAlgorithm required = upload.checksumType() == ChecksumType.COMPOSITE ? upload.algorithm() : null;
        if (required != null && element.optional(required.element()) == null) {
            throw S3Errors.invalidRequest("The upload was created using a "
                    + required.name().toLowerCase(Locale.ROOT)
                    + " checksum. The complete request must include the checksum for each part. It was missing for part "
                    + part.number() + " in the request.");
        }
        StoredChecksum checksum = part.checksum();
        String given =
                checksum == null ? null : element.optional(checksum.algorithm().element());
        if (checksum != null && given != null && !given.equals(checksum.value())) {
            throw S3Errors.invalidPart(upload.id(), part.number(), part.etag());
        }
    }

    private static int number(XmlElement element) {
        try {
            return Integer.parseInt(element.required("PartNumber").strip());
        } catch (NumberFormatException e) {
            throw S3Errors.malformedXml();
        }
    }
}
