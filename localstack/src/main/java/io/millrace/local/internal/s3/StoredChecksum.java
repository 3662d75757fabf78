package io.millrace.local.internal.s3;

/** A checksum that is kept with an object or a part. */
record StoredChecksum(ChecksumAlgorithm algorithm, String value, ChecksumType type) {
    static final String TYPE_HEADER = "x-amz-checksum-type";

    /** Tells it in the headers of an answer. */
    void writeTo(S3Reply reply) {
        reply.header(algorithm.header(), value).header(TYPE_HEADER, type.name());
    }
}
