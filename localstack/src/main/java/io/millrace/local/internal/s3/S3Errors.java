package io.millrace.local.internal.s3;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.AwsServiceException;

/** The errors of S3; their members become further elements of the error document. */
final class S3Errors {
    private static final String NOT_IMPLEMENTED = "NotImplemented";
    private static final String NOT_IMPLEMENTED_HEADER =
            "A header you provided implies functionality that is not implemented";

    private S3Errors() {}

    static AwsServiceException noSuchBucket(String bucket) {
        return error(404, "NoSuchBucket", "The specified bucket does not exist", "BucketName", bucket);
    }

    static AwsServiceException noSuchKey(String key) {
        return error(404, "NoSuchKey", "The specified key does not exist.", "Key", key);
    }

    static AwsServiceException noSuchUpload(String uploadId) {
        return error(
                404,
                "NoSuchUpload",
                "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or "
                        + "completed.",
                "UploadId",
                uploadId);
    }

    static AwsServiceException invalidBucketName(String bucket) {
        return error(400, "InvalidBucketName", "The specified bucket is not valid.", "BucketName", bucket);
    }

    static AwsServiceException bucketAlreadyOwned(String bucket) {
        return error(
                409,
                "BucketAlreadyOwnedByYou",
                "Your previous request to create the named bucket succeeded and you already own it.",
                "BucketName",
                bucket);
    }

    static AwsServiceException bucketNotEmpty(String bucket) {
        return error(409, "BucketNotEmpty", "The bucket you tried to delete is not empty", "BucketName", bucket);
    }

    static AwsServiceException tooManyBuckets() {
        return error(400, "TooManyBuckets", "You have attempted to create more buckets than allowed");
    }

    static AwsServiceException illegalLocation(String location) {
        return error(
                400,
                "IllegalLocationConstraintException",
                "The " + location
                        + " location constraint is incompatible for the region specific endpoint this request was sent to.");
    }

    static AwsServiceException invalidLocation(String location) {
        return error(
                400,
                "InvalidLocationConstraint",
                "The specified location-constraint is not valid",
                "LocationConstraint",
                location);
    }

    static AwsServiceException keyTooLong(int bytes) {
        return error(
                400,
                "KeyTooLongError",
                "Your key is too long",
                "Size",
                Integer.toString(bytes),
                "MaxSizeAllowed",
                Integer.toString(S3Limits.KEY_BYTES_MAX));
    }

    static AwsServiceException metadataTooLarge(int bytes) {
        return error(
                400,
                "MetadataTooLarge",
                "Your metadata headers exceed the maximum allowed metadata size",
                "Size",
                Integer.toString(bytes),
                "MaxSizeAllowed",
                Integer.toString(S3Limits.METADATA_BYTES_MAX));
    }

    static AwsServiceException entityTooLarge(long bytes, long bytesMax) {
        return error(
                400,
                "EntityTooLarge",
                "Your proposed upload exceeds the maximum allowed size",
                "ProposedSize",
                Long.toString(bytes),
                "MaxSizeAllowed",
                Long.toString(bytesMax));
    }

    static AwsServiceException entityTooSmall(int partNumber, String etag, int bytes) {
        return error(
                400,
                "EntityTooSmall",
                "Your proposed upload is smaller than the minimum allowed size",
                "ProposedSize",
                Integer.toString(bytes),
                "MinSizeAllowed",
                Integer.toString(S3Limits.PART_BYTES_MIN),
                "PartNumber",
                Integer.toString(partNumber),
                "ETag",
                etag);
    }

    static AwsServiceException invalidPart(String uploadId, int partNumber, String etag) {
        return error(
                400,
                "InvalidPart",
                "One or more of the specified parts could not be found.  The part may not have been uploaded, or the "
                        + "specified entity tag may not match the part's entity tag.",
                "UploadId",
                uploadId,
                "PartNumber",
                Integer.toString(partNumber),
                "ETag",
                etag);
    }

    static AwsServiceException invalidPartOrder(String uploadId) {
        return error(
                400,
                "InvalidPartOrder",
                "The list of parts was not in ascending order. Parts must be ordered by part number.",
                "UploadId",
                uploadId);
    }

    static AwsServiceException malformedXml() {
        return error(
                400,
                "MalformedXML",
                "The XML you provided was not well-formed or did not validate against our published schema");
    }

    static AwsServiceException invalidArgument(String message, String name, String value) {
        return error(400, "InvalidArgument", message, "ArgumentName", name, "ArgumentValue", value);
    }

    static AwsServiceException invalidRequest(String message) {
        return error(400, "InvalidRequest", message);
    }

    static AwsServiceException invalidUri(String uri) {
        return error(400, "InvalidURI", "Couldn't parse the specified URI.", "URI", uri);
    }

    static AwsServiceException preconditionFailed(String condition) {
        return error(
                412,
                "PreconditionFailed",
                "At least one of the pre-conditions you specified did not hold",
                "Condition",
                condition);
    }

    static AwsServiceException invalidRange(String range, int bytes) {
        return error(
                416,
                "InvalidRange",
                "The requested range is not satisfiable",
                "RangeRequested",
                range,
                "ActualObjectSize",
                Integer.toString(bytes));
    }

    static AwsServiceException invalidDigest(String digest) {
        return error(400, "InvalidDigest", "The Content-MD5 you specified was invalid.", "Content-MD5", digest);
    }

    static AwsServiceException badMd5(String expected, String calculated) {
        return error(
                400,
                "BadDigest",
                "The Content-MD5 you specified did not match what we received.",
                "ExpectedDigest",
                expected,
                "CalculatedDigest",
                calculated);
    }

    static AwsServiceException badChecksum(ChecksumAlgorithm algorithm) {
        return error(400, "BadDigest", "The " + algorithm + " you specified did not match the calculated checksum.");
    }

    static AwsServiceException contentSha256Mismatch(String given, String computed) {
        return error(
                400,
                "XAmzContentSHA256Mismatch",
                "The provided 'x-amz-content-sha256' header does not match what was computed.",
                "ClientComputedContentSHA256",
                given,
                "S3ComputedContentSHA256",
                computed);
    }

    static AwsServiceException incompleteBody() {
        return error(
                400,
                "IncompleteBody",
                "You did not provide the number of bytes specified by the Content-Length HTTP header");
    }

    static AwsServiceException missingContentLength() {
        return error(411, "MissingContentLength", "You must provide the Content-Length HTTP header.");
    }

    static AwsServiceException invalidChunkSize(int chunk, int bytes) {
        return error(
                403,
                "InvalidChunkSizeError",
                "Only the last chunk is allowed to have a size less than " + S3Limits.CHUNK_BYTES_MIN + " bytes",
                "Chunk",
                Integer.toString(chunk),
                "BadChunkSize",
                Integer.toString(bytes));
    }

    static AwsServiceException malformedTrailer() {
        return error(
                400,
                "MalformedTrailerError",
                "The request contained trailing data that was not well-formed or did not conform to our published schema.");
    }

    static AwsServiceException accessDenied() {
        return error(403, "AccessDenied", "Access Denied");
    }

    static AwsServiceException headerNotImplemented(String header) {
        return error(501, NOT_IMPLEMENTED, NOT_IMPLEMENTED_HEADER, "Header", header);
    }

    static AwsServiceException notImplemented(String what) {
        return error(501, NOT_IMPLEMENTED, "The embedded AWS does not implement " + what + ".");
    }

    /** @param members names and values in turn */
    private static AwsServiceException error(int status, String code, String message, String... members) {
        ObjectNode elements = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < members.length; i += 2) {
            elements.put(members[i], members[i + 1]);
        }
        return new AwsServiceException(status, code, message, elements);
    }
}
