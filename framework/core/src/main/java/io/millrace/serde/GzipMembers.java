package io.millrace.serde;

import java.io.ByteArrayOutputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * The members of a gzip file, read to the last byte. Java's own stream takes garbage behind the last member for its end,
 * and knows no limit. For one use by one thread.
 */
final class GzipMembers {
    private static final int MAGIC_FIRST = 0x1f;
    private static final int MAGIC_SECOND = 0x8b;
    private static final int DEFLATE = 8;
    private static final int FLAG_HEADER_CRC = 0x02;
    private static final int FLAG_EXTRA = 0x04;
    private static final int FLAG_NAME = 0x08;
    private static final int FLAG_COMMENT = 0x10;
    private static final int FLAGS_RESERVED = 0xe0;
    private static final int FLAGS_OFFSET = 3;
    private static final int HEADER_BYTES = 10;
    private static final int TRAILER_BYTES = 8;
    private static final int BUFFER_BYTES = 8 * 1024;

    private final byte[] data;
    private final int bytesMax;
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private int at;

    private GzipMembers(byte[] data, int bytesMax) {
        this.data = data;
        this.bytesMax = bytesMax;
    }

    /** Whether data begins as gzip does. */
    static boolean isGzip(byte[] data) {
        return data.length >= 2 && (data[0] & 0xff) == MAGIC_FIRST && (data[1] & 0xff) == MAGIC_SECOND;
    }

    /**
     * The joined contents of all members.
     *
     * @throws DecodingException if something is broken, or the contents have more than {@code bytesMax} bytes
     */
    static byte[] inflate(byte[] data, int bytesMax) throws DecodingException {
        GzipMembers members = new GzipMembers(data, bytesMax);
        Inflater inflater = new Inflater(true);
        try {
            do {
                members.readHeader();
                members.readMember(inflater);
                inflater.reset();
            } while (members.at < data.length);
        } finally {
            inflater.end();
        }
        return members.content.toByteArray();
    }

    private void readHeader() throws DecodingException {
        int start = at;
        if (next() != MAGIC_FIRST || next() != MAGIC_SECOND) {
            at = start;
            throw broken("there is something behind the last member");
        }
        if (next() != DEFLATE) {
            throw broken("the method is not deflate");
        }
        int flags = next();
        if ((flags & FLAGS_RESERVED) != 0) {
            throw broken("the flags " + flags + " are not known");
        }
        skip(HEADER_BYTES - FLAGS_OFFSET - 1);
        if ((flags & FLAG_EXTRA) != 0) {
            skip(nextShort());
        }
        if ((flags & FLAG_NAME) != 0) {
            skipText();
        }
        if ((flags & FLAG_COMMENT) != 0) {
            skipText();
        }
        if ((flags & FLAG_HEADER_CRC) != 0) {
            CRC32 crc = new CRC32();
            crc.update(data, start, at - start);
            if (nextShort() != (crc.getValue() & 0xffff)) {
                throw broken("the header's CRC is wrong");
            }
        }
    }

    private void readMember(Inflater inflater) throws DecodingException {
        CRC32 crc = new CRC32();
        byte[] buffer = new byte[BUFFER_BYTES];
        inflater.setInput(data, at, data.length - at);
        while (!inflater.finished()) {
            int length = inflate(inflater, buffer);
            if (length > bytesMax - content.size()) {
                throw DecodingException.tooLargeUncompressed(data.length, bytesMax);
            }
            crc.update(buffer, 0, length);
            content.write(buffer, 0, length);
        }
        long length = inflater.getBytesWritten();
        at += (int) inflater.getBytesRead();
        if (data.length - at < TRAILER_BYTES) {
            throw broken("it is cut");
        }
        if (nextInt() != crc.getValue()) {
            throw broken("the CRC of what was uncompressed is wrong");
        }
        if (nextInt() != length) {
            throw broken("the length of what was uncompressed is wrong");
        }
    }

    /** Gives at least one byte unless the member is finished, so that reading it ends. */
    private int inflate(Inflater inflater, byte[] buffer) throws DecodingException {
        try {
            int length = inflater.inflate(buffer);
            if (length == 0 && !inflater.finished()) {
                throw broken("it is cut");
            }
            return length;
        } catch (DataFormatException e) {
            throw DecodingException.badDeflate(at, data.length, e);
        }
    }

    private int next() throws DecodingException {
        if (at >= data.length) {
            throw broken("it is cut");
        }
        return data[at++] & 0xff;
    }

    private int nextShort() throws DecodingException {
        int low = next();
        return low | next() << 8;
    }

    private long nextInt() throws DecodingException {
        long low = nextShort();
        return low | (long) nextShort() << 16;
    }

    private void skip(int bytes) throws DecodingException {
        if (bytes > data.length - at) {
            throw broken("it is cut");
        }
        at += bytes;
    }

    private void skipText() throws DecodingException {
        while (next() != 0) {
            // up to the zero at its end
        }
    }

    private DecodingException broken(String what) {
        return DecodingException.gzip(at, data.length, what);
    }
}
