package io.millrace.local;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Several user records in one Kinesis record, as the Kinesis Producer Library packs them; for tests of what reads them.
 * The Kinesis record's own partition key is up to who puts it: the library takes a dummy. Nothing is checked against
 * Kinesis's limits. Not thread-safe.
 *
 * <pre>{@code
 * byte[] data = new KplAggregate().add("k1", one).add("k2", two).toBytes();
 * }</pre>
 */
public final class KplAggregate {
    private static final byte[] MAGIC = {(byte) 0xf3, (byte) 0x89, (byte) 0x9a, (byte) 0xc2};
    private static final int VARINT = 0;
    private static final int BYTES = 2;

    private final Map<String, Integer> partitionKeys = new LinkedHashMap<>();
    private final Map<String, Integer> explicitHashKeys = new LinkedHashMap<>();
    private final ByteArrayOutputStream records = new ByteArrayOutputStream();

    /** An aggregate without user records. */
    public KplAggregate() {}

    /** Adds a user record. */
    public KplAggregate add(String partitionKey, byte[] data) {
        return add(partitionKey, null, data);
    }

    /**
     * Adds a user record.
     *
     * @param explicitHashKey the decimal hash key that its producer asked for; null for none
     */
    public KplAggregate add(String partitionKey, @Nullable String explicitHashKey, byte[] data) {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        writeNumber(message, 1, indexOf(partitionKey, partitionKeys));
        if (explicitHashKey != null) {
            writeNumber(message, 2, indexOf(explicitHashKey, explicitHashKeys));
        }
        writeBytes(message, 3, data);
        writeBytes(records, 3, message.toByteArray());
        return this;
    }

    /** The Kinesis record's data. */
    public byte[] toBytes() {
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        partitionKeys.keySet().forEach(key -> writeBytes(message, 1, key.getBytes(StandardCharsets.UTF_8)));
        explicitHashKeys.keySet().forEach(key -> writeBytes(message, 2, key.getBytes(StandardCharsets.UTF_8)));
        message.writeBytes(records.toByteArray());
        return of(message.toByteArray());
    }

    /** The data of an aggregate with any bytes as its message, broken ones too, and their MD5. */
    public static byte[] of(byte[] message) {
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        data.writeBytes(MAGIC);
        data.writeBytes(message);
        data.writeBytes(md5(message));
        return data.toByteArray();
    }

    private static int indexOf(String key, Map<String, Integer> table) {
        Integer index = table.putIfAbsent(key, table.size());
        return index == null ? table.size() - 1 : index;
    }

    private static void writeNumber(ByteArrayOutputStream message, int field, int number) {
        writeVarint(message, (field << 3) | VARINT);
        writeVarint(message, number);
    }

    private static void writeBytes(ByteArrayOutputStream message, int field, byte[] bytes) {
        writeVarint(message, (field << 3) | BYTES);
        writeVarint(message, bytes.length);
        message.writeBytes(bytes);
    }

    private static void writeVarint(ByteArrayOutputStream message, int number) {
        int rest = number;
        while (rest >= 0x80) {
            message.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        message.write(rest);
    }

    private static byte[] md5(byte[] bytes) {
        try {
            return MessageDigest.getInstance("MD5").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has MD5", e);
        }
    }
}
