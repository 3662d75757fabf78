package io.millrace.local.internal.s3;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** An operation of S3 that the embedded AWS has, and the form of the requests for it. */
public enum S3Operation {
    LIST_BUCKETS(
            "ListBuckets",
            "GET",
            Resource.SERVICE,
            Set.of(),
            Set.of("max-buckets", "continuation-token", "prefix", "bucket-region")),
    CREATE_BUCKET("CreateBucket", "PUT", Resource.BUCKET, Set.of(), Set.of()),
    HEAD_BUCKET("HeadBucket", "HEAD", Resource.BUCKET, Set.of(), Set.of()),
    DELETE_BUCKET("DeleteBucket", "DELETE", Resource.BUCKET, Set.of(), Set.of()),
    LIST_OBJECTS_V2(
            "ListObjectsV2",
            "GET",
            Resource.BUCKET,
            Set.of("list-type"),
            Set.of(
                    "prefix",
                    "delimiter",
                    "max-keys",
                    "start-after",
                    "continuation-token",
                    "encoding-type",
                    "fetch-owner")),
    DELETE_OBJECTS("DeleteObjects", "POST", Resource.BUCKET, Set.of("delete"), Set.of()),
    LIST_MULTIPART_UPLOADS(
            "ListMultipartUploads",
            "GET",
            Resource.BUCKET,
            Set.of("uploads"),
            Set.of("prefix", "delimiter", "key-marker", "upload-id-marker", "max-uploads", "encoding-type")),
    PUT_OBJECT("PutObject", "PUT", Resource.OBJECT, Set.of(), Set.of()),
    GET_OBJECT("GetObject", "GET", Resource.OBJECT, Set.of(), Set.of()),
    HEAD_OBJECT("HeadObject", "HEAD", Resource.OBJECT, Set.of(), Set.of()),
    DELETE_OBJECT("DeleteObject", "DELETE", Resource.OBJECT, Set.of(), Set.of()),
    CREATE_MULTIPART_UPLOAD("CreateMultipartUpload", "POST", Resource.OBJECT, Set.of("uploads"), Set.of()),
    UPLOAD_PART("UploadPart", "PUT", Resource.OBJECT, Set.of("partNumber", "uploadId"), Set.of()),
    COMPLETE_MULTIPART_UPLOAD("CompleteMultipartUpload", "POST", Resource.OBJECT, Set.of("uploadId"), Set.of()),
    ABORT_MULTIPART_UPLOAD("AbortMultipartUpload", "DELETE", Resource.OBJECT, Set.of("uploadId"), Set.of()),
    LIST_PARTS("ListParts", "GET", Resource.OBJECT, Set.of("uploadId"), Set.of("max-parts", "part-number-marker"));

    /** Whatever the operation: the SDK's name of it, and what a signed URL carries. */
    private static final String SDK_OPERATION_PARAMETER = "x-id";

    private static final String SIGNATURE_PARAMETERS_PREFIX = "x-amz-";

    private enum Resource {
        SERVICE,
        BUCKET,
        OBJECT
    }

    private final String operationName;
    private final String method;
    private final Resource resource;

    @SuppressWarnings("ImmutableEnumChecker") // Set.of is immutable.
    private final Set<String> required;

    @SuppressWarnings("ImmutableEnumChecker") // Set.of is immutable.
    private final Set<String> optional;

    S3Operation(String operationName, String method, Resource resource, Set<String> required, Set<String> optional) {
        this.operationName = operationName;
        this.method = method;
        this.resource = resource;
        this.required = required;
        this.optional = optional;
    }

    /**
     * The operation of a request; empty for what the embedded AWS does not have, such as copies.
     *
     * @param parameters the names in the query string
     * @param copies whether the request has the header {@code x-amz-copy-source}
     */
    public static Optional<S3Operation> of(
            String method, S3Address address, Collection<String> parameters, boolean copies) {
        Resource resource = address.bucket().isEmpty()
                ? Resource.SERVICE
                : address.key().isEmpty() ? Resource.BUCKET : Resource.OBJECT;
        for (S3Operation operation : values()) {
            if (operation.method.equals(method) && operation.resource == resource && operation.takes(parameters)) {
                return copies ? Optional.empty() : Optional.of(operation);
            }
        }
        return Optional.empty();
    }

    /** The name as AWS has it, such as {@code PutObject}. */
    public String operationName() {
        return operationName;
    }

    private boolean takes(Collection<String> parameters) {
        return parameters.containsAll(required)
                && parameters.stream()
                        .allMatch(name -> required.contains(name)
                                || optional.contains(name)
                                || name.equals(SDK_OPERATION_PARAMETER)
                                || name.toLowerCase(Locale.ROOT).startsWith(SIGNATURE_PARAMETERS_PREFIX));
    }
}
