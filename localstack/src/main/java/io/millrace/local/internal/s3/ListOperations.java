package io.millrace.local.internal.s3;

import java.util.NavigableMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The listings by key: of objects, and of uploads that go on. Thread-safe. */
final class ListOperations {
    private static final String ENCODING = "url";

    private final Buckets buckets;
    private final String account;

    ListOperations(Buckets buckets, String account) {
        this.buckets = buckets;
        this.account = account;
    }

    S3Reply objects(S3Request request) {
        if (!request.text("list-type").equals("2")) {
            throw S3Errors.invalidArgument("Invalid list type", "list-type", request.text("list-type"));
        }
        UnaryOperator<String> encoding = encoding(request);
        String prefix = request.text("prefix");
        String delimiter = request.text("delimiter");
        String startAfter = request.text("start-after");
        int listedMax = request.listedMax("max-keys", S3Limits.LISTED_MAX);
        String tokenText = request.text("continuation-token");
        if (request.parameter("continuation-token") != null && tokenText.isEmpty()) {
            throw S3Errors.invalidArgument(
                    "The continuation token provided is incorrect", "continuation-token", tokenText);
        }
        ContinuationToken token =
                tokenText.isEmpty() ? new ContinuationToken(startAfter, false) : ContinuationToken.parse(tokenText);
        ListingPage<StoredObject> page = buckets.in(
                request.bucket(),
                bucket -> ListingPage.of(
                        from(bucket.objects(), prefix, token.after()).values(),
                        StoredObject::key,
                        prefix,
                        delimiter,
                        listedMax,
                        token.isPrefix() ? token.after() : ""));
        boolean withOwner = Boolean.parseBoolean(request.text("fetch-owner"));
        return S3Reply.xml(200, XmlOutput.document("ListBucketResult", root -> {
            root.element("Name", request.bucket())
                    .element("Prefix", encoding.apply(prefix))
                    .optional("Delimiter", given(encoding.apply(delimiter)))
                    .optional("StartAfter", given(encoding.apply(startAfter)))
                    .optional("EncodingType", given(request.text("encoding-type")))
                    .optional("ContinuationToken", given(tokenText))
                    .element(
                            "KeyCount",
                            page.entries().size() + page.commonPrefixes().size())
                    .element("MaxKeys", listedMax)
                    .element("IsTruncated", page.truncated());
            ListingPage.Last<StoredObject> last = page.last();
            if (page.truncated() && last != null) {
                root.element(
                        "NextContinuationToken",
                        new ContinuationToken(last.keyOrPrefix(), last.entry() == null).text());
            }
            page.entries().forEach(object -> writeObject(root, object, encoding, withOwner));
            writePrefixes(root, page, encoding);
        }));
    }

    S3Reply uploads(S3Request request) {
        UnaryOperator<String> encoding = encoding(request);
        String prefix = request.text("prefix");
        String delimiter = request.text("delimiter");
        String keyMarker = request.text("key-marker");
        // Without a key it means nothing.
        String uploadIdMarker = keyMarker.isEmpty() ? "" : request.text("upload-id-marker");
        int listedMax = request.listedMax("max-uploads", S3Limits.LISTED_MAX);
        String done = !delimiter.isEmpty() && keyMarker.endsWith(delimiter) ? keyMarker : "";
        ListingPage<MultipartUpload> page = buckets.in(
                request.bucket(),
                bucket -> ListingPage.of(
                        from(bucket.uploads(), prefix, keyMarker, uploadIdMarker)
                                .values(),
                        MultipartUpload::key,
                        prefix,
                        delimiter,
                        listedMax,
                        done));
        return S3Reply.xml(200, XmlOutput.document("ListMultipartUploadsResult", root -> {
            root.element("Bucket", request.bucket())
                    .element("KeyMarker", encoding.apply(keyMarker))
                    .element("UploadIdMarker", uploadIdMarker)
                    .element("Prefix", encoding.apply(prefix))
                    .optional("Delimiter", given(encoding.apply(delimiter)))
                    .optional("EncodingType", given(request.text("encoding-type")))
                    .element("MaxUploads", listedMax)
                    .element("IsTruncated", page.truncated());
            ListingPage.Last<MultipartUpload> last = page.last();
            if (page.truncated() && last != null) {
                MultipartUpload upload = last.entry();
                root.element("NextKeyMarker", encoding.apply(last.keyOrPrefix()))
                        .element("NextUploadIdMarker", upload == null ? "" : upload.id());
            }
            page.entries().forEach(upload -> writeUpload(root, upload, encoding));
            writePrefixes(root, page, encoding);
        }));
    }

    private void writeObject(XmlOutput root, StoredObject object, UnaryOperator<String> encoding, boolean withOwner) {
        root.element("Contents", one -> {
            one.element("Key", encoding.apply(object.key()))
                    .element("LastModified", S3Values.documentTime(object.lastModified()))
                    .element("ETag", S3Values.quoted(object.etag()))
                    .element("ChecksumAlgorithm", object.checksum().algorithm())
                    .element("ChecksumType", object.checksum().type())
                    .element("Size", object.bytes());
            if (withOwner) {
                one.element("Owner", owner -> owner.element("ID", account));
            }
            one.element("StorageClass", "STANDARD");
        });
    }

    private void writeUpload(XmlOutput root, MultipartUpload upload, UnaryOperator<String> encoding) {
        root.element(
                "Upload",
                one -> one.element("Key", encoding.apply(upload.key()))
                        .element("UploadId", upload.id())
                        .element("Initiator", initiator -> initiator.element("ID", account))
                        .element("Owner", owner -> owner.element("ID", account))
                        .element("StorageClass", "STANDARD")
                        .element("Initiated", S3Values.documentTime(upload.initiated()))
                        .optional("ChecksumAlgorithm", upload.algorithm())
                        .optional("ChecksumType", upload.algorithm() == null ? null : upload.checksumType()));
    }

    private static void writePrefixes(XmlOutput root, ListingPage<?> page, UnaryOperator<String> encoding) {
        for (String common : page.commonPrefixes()) {
            root.element("CommonPrefixes", one -> one.element("Prefix", encoding.apply(common)));
        }
    }

    /** The objects from the first that a page can have: with the prefix, and after that key. */
    private static NavigableMap<String, StoredObject> from(
            NavigableMap<String, StoredObject> objects, String prefix, String after) {
        return S3Values.KEY_ORDER.compare(after, prefix) < 0
                ? objects.tailMap(prefix, true)
                : objects.tailMap(after, after.isEmpty());
    }

    /** The uploads from the first that a page can have: after all of that key, or after that one if it has an id. */
    private static NavigableMap<Bucket.UploadPosition, MultipartUpload> from(
            NavigableMap<Bucket.UploadPosition, MultipartUpload> uploads,
            String prefix,
            String keyMarker,
            String uploadIdMarker) {
        if (keyMarker.isEmpty() || S3Values.KEY_ORDER.compare(keyMarker, prefix) < 0) {
            return uploads.tailMap(new Bucket.UploadPosition(prefix, ""), true);
        }
        // No id has such a character.
        String lastId = uploadIdMarker.isEmpty() ? String.valueOf(Character.MAX_VALUE) : uploadIdMarker;
        return uploads.tailMap(new Bucket.UploadPosition(keyMarker, lastId), false);
    }

    private static UnaryOperator<String> encoding(S3Request request) {
        String asked = request.text("encoding-type");
        if (asked.isEmpty()) {
            return UnaryOperator.identity();
        }
        if (!asked.equals(ENCODING)) {
            throw S3Errors.invalidArgument("Invalid Encoding Method specified in Request", "encoding-type", asked);
        }
        return UrlText::encode;
    }

    private static @Nullable String given(String text) {
        return text.isEmpty() ? null : text;
    }
}
