package io.millrace.local.internal.s3;

import io.millrace.local.internal.wire.RequestIds;
import java.time.Clock;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The operations by which an object comes in parts. Thread-safe. */
final class MultipartOperations {
    private static final String ALGORITHM_HEADER = "x-amz-checksum-algorithm";

    private final Buckets buckets;
    private final Clock clock;
    private final String account;
    private final RequestIds uploadIds;
    private final AtomicLong uploadCount = new AtomicLong();

    MultipartOperations(Buckets buckets, Clock clock, String account, RequestIds uploadIds) {
        this.buckets = buckets;
        this.clock = clock;
        this.account = account;
        this.uploadIds = uploadIds;
    }

    S3Reply create(S3Request request) {
        ChecksumAlgorithm algorithm = algorithm(request);
        ChecksumType type = checksumType(request, algorithm);
        Map<String, String> kept = RequestHeaders.kept(request);
        MultipartUpload upload = buckets.in(request.bucket(), bucket -> {
            // Ids in the order of their beginning, as uploads of one key are listed.
            String id = String.format(Locale.ROOT, "%016x", uploadCount.incrementAndGet())
                    + uploadIds.next().replace("-", "");
            MultipartUpload begun = new MultipartUpload(id, request.key(), S3Values.now(clock), kept, algorithm, type);
            bucket.begin(begun);
            return begun;
        });
        S3Reply reply = S3Reply.xml(
                200,
                XmlOutput.document(
                        "InitiateMultipartUploadResult",
                        root -> root.element("Bucket", request.bucket())
                                .element("Key", request.key())
                                .element("UploadId", upload.id())));
        if (algorithm != null) {
            reply.header(ALGORITHM_HEADER, algorithm.name()).header(StoredChecksum.TYPE_HEADER, type.name());
        }
        return reply.header(ObjectOperations.ENCRYPTION_HEADER, ObjectOperations.ENCRYPTION);
    }

    S3Reply uploadPart(S3Request request) {
        int number = partNumber(request.text("partNumber"));
        String uploadId = request.text("uploadId");
        buckets.in(request.bucket(), bucket -> bucket.requireUpload(request.key(), uploadId));
        Payload payload = Payload.ofUpload(request);
        StoredChecksum checksum = payload.checksum();
        MultipartUpload.Part part =
                new MultipartUpload.Part(number, payload.content(), payload.md5(), checksum, S3Values.now(clock));
        buckets.in(request.bucket(), bucket -> {
            MultipartUpload upload = bucket.requireUpload(request.key(), uploadId);
            upload.checkChecksumOfPart(checksum);
            return upload.parts().put(number, part) == null;
        });
        S3Reply reply = S3Reply.empty(200)
                .header("ETag", S3Values.quoted(part.etag()))
                .header(ObjectOperations.ENCRYPTION_HEADER, ObjectOperations.ENCRYPTION);
        if (checksum != null) {
            reply.header(checksum.algorithm().header(), checksum.value());
        }
        return reply;
    }

    S3Reply complete(S3Request request) {
        String uploadId = request.text("uploadId");
        byte[] document = Payload.document(request);
        buckets.in(request.bucket(), bucket -> bucket.requireUpload(request.key(), uploadId));
        List<XmlElement> listed = XmlElement.read(
                        document, "CompleteMultipartUpload", S3Limits.COMPLETE_DOCUMENT_BYTES_MAX)
                .all("Part");
        Assembly assembly = buckets.in(
                request.bucket(), bucket -> Assembly.of(bucket.requireUpload(request.key(), uploadId), listed));
        // The lock is not held while the content is put together.
        StoredObject object = assembly.object(request, S3Values.now(clock));
        buckets.in(request.bucket(), bucket -> {
            MultipartUpload upload = bucket.requireUpload(request.key(), uploadId);
            Conditions.checkWrite(request, bucket.object(request.key()));
            bucket.put(object);
            bucket.end(upload);
            return object;
        });
        StoredChecksum checksum = object.checksum();
        return S3Reply.xml(
                        200,
                        XmlOutput.document(
                                "CompleteMultipartUploadResult",
                                root -> root.element(
                                                "Location",
                                                "http://" + request.bucket() + ".s3.amazonaws.com/"
                                                        + UrlText.encode(request.key()))
                                        .element("Bucket", request.bucket())
                                        .element("Key", request.key())
                                        .element("ETag", S3Values.quoted(object.etag()))
                                        .element(checksum.algorithm().element(), checksum.value())
                                        .element("ChecksumType", checksum.type())))
                .header(ObjectOperations.ENCRYPTION_HEADER, ObjectOperations.ENCRYPTION);
    }

    S3Reply abort(S3Request request) {
        buckets.in(request.bucket(), bucket -> {
            MultipartUpload upload = bucket.requireUpload(request.key(), request.text("uploadId"));
            bucket.end(upload);
            return upload;
        });
        return S3Reply.empty(204);
    }

    S3Reply listParts(S3Request request) {
        int marker = request.number("part-number-marker", 0);
        int listedMax = request.listedMax("max-parts", S3Limits.LISTED_MAX);
        return buckets.in(request.bucket(), bucket -> {
            MultipartUpload upload = bucket.requireUpload(request.key(), request.text("uploadId"));
            List<MultipartUpload.Part> after =
                    List.copyOf(upload.parts().tailMap(marker, false).values());
            List<MultipartUpload.Part> listed = after.subList(0, Math.min(listedMax, after.size()));
            int next = listed.isEmpty() ? 0 : listed.get(listed.size() - 1).number();
            return S3Reply.xml(200, XmlOutput.document("ListPartsResult", root -> {
                root.element("Bucket", request.bucket())
                        .element("Key", request.key())
                        .element("UploadId", upload.id())
                        .element("Initiator", initiator -> initiator.element("ID", account))
                        .element("Owner", owner -> owner.element("ID", account))
                        .element("StorageClass", "STANDARD")
                        .element("PartNumberMarker", marker)
                        .element("NextPartNumberMarker", next)
                        .element("MaxParts", listedMax)
                        .element("IsTruncated", listedMax > 0 && listed.size() < after.size())
                        .optional("ChecksumAlgorithm", upload.algorithm())
                        .optional("ChecksumType", upload.algorithm() == null ? null : upload.checksumType());
                listed.forEach(part -> writePart(root, part));
            }));
        });
    }

    private static void writePart(XmlOutput root, MultipartUpload.Part part) {
        root.element("Part", one -> {
            one.element("PartNumber", part.number())
                    .element("LastModified", S3Values.documentTime(part.lastModified()))
                    .element("ETag", S3Values.quoted(part.etag()))
                    .element("Size", part.content().length);
            StoredChecksum checksum = part.checksum();
            if (checksum != null) {
                one.element(checksum.algorithm().element(), checksum.value());
            }
        });
    }

    private static int partNumber(String text) {
        int number;
        try {
            number = Integer.parseInt(text);
        } catch (NumberFormatException e) {
            number = 0;
        }
        if (number < 1 || number > S3Limits.PARTS_MAX) {
            throw S3Errors.invalidArgument(
                    "Part number must be an integer between 1 and " + S3Limits.PARTS_MAX + ", inclusive",
                    "partNumber",
                    text);
        }
        return number;
    }

    private static @Nullable ChecksumAlgorithm algorithm(S3Request request) {
        String asked = request.header(ALGORITHM_HEADER);
        if (asked == null) {
            return null;
        }
        for (ChecksumAlgorithm algorithm : ChecksumAlgorithm.values()) {
            if (algorithm.name().equalsIgnoreCase(asked.strip())) {
                return algorithm;
            }
        }
        throw S3Errors.invalidRequest(
                "Checksum algorithm provided is unsupported. Please try again with any of the valid " + "types: "
                        + List.of(ChecksumAlgorithm.values()));
    }

    private static ChecksumType checksumType(S3Request request, @Nullable ChecksumAlgorithm algorithm) {
        String asked = request.header(StoredChecksum.TYPE_HEADER);
        if (asked == null) {
            return algorithm == null ? ChecksumType.FULL_OBJECT : algorithm.defaultType();
        }
        if (algorithm == null) {
            throw S3Errors.invalidRequest(
                    "The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.");
        }
        for (ChecksumType type : ChecksumType.values()) {
            if (type.name().equalsIgnoreCase(asked.strip())) {
                if (!algorithm.has(type)) {
                    throw S3Errors.invalidRequest("The " + type + " checksum type cannot be used with the "
                            + algorithm.name().toLowerCase(Locale.ROOT) + " checksum algorithm.");
                }
                return type;
            }
        }
        throw S3Errors.invalidRequest("Value for x-amz-checksum-type header is invalid.");
    }
}
