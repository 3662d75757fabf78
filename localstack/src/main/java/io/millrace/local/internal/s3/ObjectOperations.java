package io.millrace.local.internal.s3;

import io.millrace.local.internal.AwsServiceException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The operations on single objects, and the deletion of several. Thread-safe. */
final class ObjectOperations {
    static final String ENCRYPTION_HEADER = "x-amz-server-side-encryption";
    static final String ENCRYPTION = "AES256";

    private final Buckets buckets;
    private final Clock clock;

    ObjectOperations(Buckets buckets, Clock clock) {
        this.buckets = buckets;
        this.clock = clock;
    }

    S3Reply put(S3Request request) {
        buckets.check(request.bucket());
        Payload payload = Payload.ofUpload(request);
        Map<String, String> kept = RequestHeaders.kept(request);
        StoredChecksum checksum = checksumOf(payload);
        StoredObject object = new StoredObject(
                request.key(), payload.content(), S3Values.etag(payload.md5()), S3Values.now(clock), kept, checksum);
        buckets.in(request.bucket(), bucket -> {
            Conditions.checkWrite(request, bucket.object(request.key()));
            bucket.put(object);
            return object;
        });
        S3Reply reply = S3Reply.empty(200)
                .header("ETag", S3Values.quoted(object.etag()))
                .header(ENCRYPTION_HEADER, ENCRYPTION);
        checksum.writeTo(reply);
        return reply;
    }

    S3Reply get(S3Request request) {
        return read(request, true);
    }

    S3Reply head(S3Request request) {
        return read(request, false);
    }

    S3Reply delete(S3Request request) {
        buckets.in(request.bucket(), bucket -> {
            Conditions.checkMatch(request.header("If-Match"), request.key(), bucket.object(request.key()));
            return bucket.objects().remove(request.key()) != null;
        });
        return S3Reply.empty(204);
    }

    S3Reply deleteAll(S3Request request) {
        buckets.check(request.bucket());
        byte[] document = Payload.digestedDocument(request);
        XmlElement delete = XmlElement.read(document, "Delete", S3Limits.DELETE_DOCUMENT_BYTES_MAX);
        List<XmlElement> objects = delete.all("Object");
        if (objects.isEmpty() || objects.size() > S3Limits.DELETED_KEYS_MAX) {
            throw S3Errors.malformedXml();
        }
        objects.forEach(object -> object.required("Key"));
        boolean quiet = Boolean.parseBoolean(delete.optional("Quiet"));
        List<Consumer<XmlOutput>> outcomes = new ArrayList<>();
        buckets.in(request.bucket(), bucket -> {
            for (XmlElement object : objects) {
                String key = object.required("Key");
                AwsServiceException refused = delete(bucket, object);
                if (refused != null) {
                    outcomes.add(root -> root.element(
                            "Error",
                            one -> one.element("Key", key)
                                    .element("Code", refused.code())
                                    .element("Message", String.valueOf(refused.getMessage()))));
                } else if (!quiet) {
                    outcomes.add(root -> root.element("Deleted", one -> one.element("Key", key)));
                }
            }
            return outcomes;
        });
        return S3Reply.xml(
                200, XmlOutput.document("DeleteResult", root -> outcomes.forEach(outcome -> outcome.accept(root))));
    }

    /** Deletes one of several objects; answers why not, or null. */
    private static @Nullable AwsServiceException delete(Bucket bucket, XmlElement object) {
        String key = object.required("Key");
        String version = object.optional("VersionId");
        try {
            if (version != null && !version.equals("null")) {
                throw S3Errors.notImplemented("versions of objects");
            }
            Conditions.checkMatch(object.optional("ETag"), key, bucket.object(key));
            bucket.objects().remove(key);
            return null;
        } catch (AwsServiceException e) {
            return e;
        }
    }

    private S3Reply read(S3Request request, boolean withBody) {
        StoredObject object = buckets.in(request.bucket(), bucket -> bucket.requireObject(request.key()));
        if (!Conditions.checkRead(request, object)) {
            return S3Reply.empty(304)
                    .header("ETag", S3Values.quoted(object.etag()))
                    .header("Last-Modified", S3Values.headerTime(object.lastModified()));
        }
        ByteRange range = ByteRange.of(request.header("Range"), object.bytes());
        S3Reply reply = body(object, range, withBody)
                .headers(object.keptHeaders())
                .header("Accept-Ranges", "bytes")
                .header("ETag", S3Values.quoted(object.etag()))
                .header("Last-Modified", S3Values.headerTime(object.lastModified()))
                .header(ENCRYPTION_HEADER, ENCRYPTION);
        if (range != null) {
            reply.header("Content-Range", range.contentRange(object.bytes()));
        } else if ("ENABLED".equalsIgnoreCase(request.header("x-amz-checksum-mode"))) {
            // The stored checksum is of the whole object, and would not fit a part of it.
            object.checksum().writeTo(reply);
        }
        return reply;
    }

    private static S3Reply body(StoredObject object, @Nullable ByteRange range, boolean withBody) {
        int status = range == null ? 200 : 206;
        int bytes = range == null ? object.bytes() : range.last() - range.first() + 1;
        if (!withBody) {
            return S3Reply.empty(status).contentLength(bytes);
        }
        return S3Reply.content(status, range == null ? object.content() : range.of(object.content()));
    }

    private static StoredChecksum checksumOf(Payload payload) {
        StoredChecksum given = payload.checksum();
        if (given != null) {
            return given;
        }
        ChecksumAlgorithm algorithm = ChecksumAlgorithm.DEFAULT;
        return new StoredChecksum(algorithm, algorithm.of(List.of(payload.content())), ChecksumType.FULL_OBJECT);
    }
}
