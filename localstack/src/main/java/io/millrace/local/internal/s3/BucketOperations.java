package io.millrace.local.internal.s3;

import java.time.Clock;
import java.util.List;

/** The operations on buckets as a whole. Thread-safe. */
final class BucketOperations {
    private static final String LEGACY_REGION = "us-east-1";

    private final Buckets buckets;
    private final Clock clock;
    private final String region;
    private final String account;

    BucketOperations(Buckets buckets, Clock clock, String region, String account) {
        this.buckets = buckets;
        this.clock = clock;
        this.region = region;
        this.account = account;
    }

    S3Reply create(S3Request request) {
        BucketName.check(request.bucket());
        checkLocation(Payload.document(request));
        boolean isNew = buckets.create(request.bucket(), S3Values.now(clock));
        // The oldest region answers a repetition with success, and only that one.
        if (!isNew && !region.equals(LEGACY_REGION)) {
            throw S3Errors.bucketAlreadyOwned(request.bucket());
        }
        return S3Reply.empty(200).header("Location", "/" + request.bucket());
    }

    S3Reply head(S3Request request) {
        buckets.check(request.bucket());
        return S3Reply.empty(200).header("x-amz-bucket-region", region).header("Content-Type", "application/xml");
    }

    S3Reply delete(S3Request request) {
        buckets.delete(request.bucket());
        return S3Reply.empty(204);
    }

    S3Reply list(S3Request request) {
        String token = request.text("continuation-token");
        String after = token.isEmpty() ? "" : ContinuationToken.parse(token).after();
        String prefix = request.text("prefix");
        String inRegion = request.text("bucket-region");
        List<Bucket> found = buckets.after(after).stream()
                .filter(bucket -> bucket.name().startsWith(prefix))
                .filter(bucket -> inRegion.isEmpty() || inRegion.equals(region))
                .toList();
        int listedMax = request.listedMax("max-buckets", S3Limits.BUCKETS_MAX);
        if (listedMax < 1) {
            throw S3Errors.invalidArgument(
                    "Argument max-buckets must be an integer between 1 and " + S3Limits.BUCKETS_MAX,
                    "max-buckets",
                    request.text("max-buckets"));
        }
        List<Bucket> listed = found.subList(0, Math.min(listedMax, found.size()));
        return S3Reply.xml(200, XmlOutput.document("ListAllMyBucketsResult", root -> {
            root.element("Owner", owner -> owner.element("ID", account));
            root.element("Buckets", list -> {
                for (Bucket bucket : listed) {
                    list.element(
                            "Bucket",
                            one -> one.element("Name", bucket.name())
                                    .element("CreationDate", S3Values.documentTime(bucket.created()))
                                    .element("BucketRegion", region));
                }
            });
            if (listed.size() < found.size()) {
                String last = listed.get(listed.size() - 1).name();
                root.element("ContinuationToken", new ContinuationToken(last, false).text());
            }
            if (!prefix.isEmpty()) {
                root.element("Prefix", prefix);
            }
        }));
    }

    private void checkLocation(byte[] document) {
        String location = document.length == 0
                ? null
                : XmlElement.read(document, "CreateBucketConfiguration", S3Limits.CREATE_DOCUMENT_BYTES_MAX)
                        .optional("LocationConstraint");
        if (location == null || location.isEmpty()) {
            if (!region.equals(LEGACY_REGION)) {
                throw S3Errors.illegalLocation("unspecified");
            }
        } else if (location.equals(LEGACY_REGION)) {
            // The oldest region has no name here.
            throw S3Errors.invalidLocation(location);
        } else if (!location.equals(region)) {
            throw S3Errors.illegalLocation(location);
        }
    }
}
