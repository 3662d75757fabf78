package io.millrace.local.internal.s3;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

/** A checksum that S3 verifies and stores. On the wire it is base64 text of its bytes, the highest first. */
enum ChecksumAlgorithm {
    CRC32(4, true),
    CRC32C(4, true),
    CRC64NVME(8, true),
    SHA1(20, false),
    SHA256(32, false);

    /** What S3 computes where the request gives no checksum. */
    static final ChecksumAlgorithm DEFAULT = CRC64NVME;

    /** The prefix of the headers and trailers that carry checksums. */
    static final String HEADER_PREFIX = "x-amz-checksum-";

    private final int bytes;
    private final boolean cyclic;

    ChecksumAlgorithm(int bytes, boolean cyclic) {
        this.bytes = bytes;
        this.cyclic = cyclic;
    }

    /** The header or trailer that carries it. */
    String header() {
        return HEADER_PREFIX + name().toLowerCase(Locale.ROOT);
    }

    /** The XML element that carries it. */
    String element() {
        return "Checksum" + name();
    }

    /** Whether an upload in parts can have this checksum in that form. */
    boolean has(ChecksumType type) {
        return type == ChecksumType.FULL_OBJECT ? cyclic : this != CRC64NVME;
    }

    /** The form for an upload in parts that asks for none. */
    ChecksumType defaultType() {
        return this == CRC64NVME ? ChecksumType.FULL_OBJECT : ChecksumType.COMPOSITE;
    }

    /** Whether the text can be such a checksum. */
    boolean isWellFormed(String base64) {
        try {
            return Base64.getDecoder().decode(base64).length == bytes;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** The checksum of the contents one after the other. */
    String of(List<byte[]> contents) {
        byte[] value = cyclic ? cyclic(contents) : digest(this == SHA1 ? "SHA-1" : "SHA-256", contents);
        return Base64.getEncoder().encodeToString(value);
    }

    /** The digest of the contents one after the other. */
    static byte[] digest(String algorithm, List<byte[]> contents) {
        try {
            MessageDigest digest = MessageDigest.getInstance(algorithm);
            contents.forEach(digest::update);
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("This Java has no " + algorithm, e);
        }
    }

    private byte[] cyclic(List<byte[]> contents) {
        Checksum checksum = this == CRC32 ? new CRC32() : this == CRC32C ? new CRC32C() : new Crc64Nvme();
        contents.forEach(checksum::update);
        byte[] wide =
                ByteBuffer.allocate(Long.BYTES).putLong(checksum.getValue()).array();
        return Arrays.copyOfRange(wide, Long.BYTES - bytes, Long.BYTES);
    }
}
