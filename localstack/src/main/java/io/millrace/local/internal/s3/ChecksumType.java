package io.millrace.local.internal.s3;

/** What the checksum of an object that came in parts is of. */
enum ChecksumType {
    /** Of the content. */
    FULL_OBJECT,
    /** Of the checksums of the parts; a hyphen and the number of parts follow it. */
    COMPOSITE
}
