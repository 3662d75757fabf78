package io.millrace.local.internal.kinesis;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/** Opaque strings that carry a position between two requests, with a checksum against strings that were made up. */
final class Tokens {
    /** Writes the fields of a token. */
    interface Fields {
        void write(DataOutputStream out) throws IOException;
    }

    /** Reads the fields of a token. */
    interface Reader<T> {
        T read(DataInputStream in) throws IOException;
    }

    private static final int CHECKSUM_BYTES = 8;

    private Tokens() {}

    static String write(Fields fields) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            fields.write(out);
            out.writeLong(checksum(bytes.toByteArray(), bytes.size()));
            return Base64.getEncoder().encodeToString(bytes.toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException("a token cannot be written to memory", e);
        }
    }

    /** What the reader makes of the token, or null if it is none of ours. */
    static <T> @Nullable T read(String token, Reader<T> reader) {
        try {
            byte[] bytes = Base64.getDecoder().decode(token);
            int length = bytes.length - CHECKSUM_BYTES;
            if (length < 0) {
                return null;
            }
            DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes));
            T value = reader.read(in);
            boolean whole = in.available() == CHECKSUM_BYTES && in.readLong() == checksum(bytes, length);
            return whole ? value : null;
        } catch (IllegalArgumentException | IOException e) {
            return null;
        }
    }

    private static long checksum(byte[] bytes, int length) {
        CRC32 checksum = new CRC32();
        checksum.update(bytes, 0, length);
        return checksum.getValue();
    }
}
