package io.millrace.local.internal.s3;

import java.util.zip.Checksum;

/** The cyclic redundancy check of 64 bits of the NVM Express specification. Not thread-safe. */
final class Crc64Nvme implements Checksum {
    /** The polynomial AD93D23594C93659 with its bits reversed. */
    private static final long POLYNOMIAL = 0x9A6C9329AC4BC9B5L;

    private static final long INITIAL = -1;
    private static final int BYTE_VALUES = 256;
    private static final long[] TABLE = table();

    private long register = INITIAL;

    @Override
    public void update(int value) {
        register = TABLE[(int) ((register ^ value) & (BYTE_VALUES - 1))] ^ (register >>> Byte.SIZE);
    }

    @Override
    public void update(byte[] bytes, int offset, int length) {
        for (int i = offset; i < offset + length; i++) {
            update(bytes[i]);
        }
    }

    @Override
    public long getValue() {
        return ~register;
    }

    @Override
    public void reset() {
        register = INITIAL;
    }

    private static long[] table() {
        long[] table = new long[BYTE_VALUES];
        for (int value = 0; value < BYTE_VALUES; value++) {
            long remainder = value;
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                remainder = (remainder & 1) == 0 ? remainder >>> 1 : (remainder >>> 1) ^ POLYNOMIAL;
            }
            table[value] = remainder;
        }
        return table;
    }
}
