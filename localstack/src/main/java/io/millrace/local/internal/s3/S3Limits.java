package io.millrace.local.internal.s3;

/** The limits of S3, with the values that AWS documents. */
final class S3Limits {
    static final int BUCKETS_MAX = 10_000;
    static final int KEY_BYTES_MAX = 1_024;
    /** Names without their prefix and values together. */
    static final int METADATA_BYTES_MAX = 2 * 1_024;
    /** Of one PutObject or UploadPart. */
    static final long UPLOAD_BYTES_MAX = 5L * 1_024 * 1_024 * 1_024;
    /** Of every part but the last. */
    static final int PART_BYTES_MIN = 5 * 1_024 * 1_024;

    static final int PARTS_MAX = 10_000;
    /** Of every chunk but the last of an {@code aws-chunked} body. */
    static final int CHUNK_BYTES_MIN = 8 * 1_024;
    /** Keys, uploads or parts in one answer. */
    static final int LISTED_MAX = 1_000;

    static final int DELETED_KEYS_MAX = 1_000;
    static final int DELETE_DOCUMENT_BYTES_MAX = 2 * 1_024 * 1_024;
    static final int COMPLETE_DOCUMENT_BYTES_MAX = 8 * 1_024 * 1_024;
    static final int CREATE_DOCUMENT_BYTES_MAX = 64 * 1_024;

    private S3Limits() {}
}
