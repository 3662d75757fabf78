package io.millrace.aws.internal;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the Kinesis Producer Library makes of several user records: four bytes, a protobuf message, and its MD5. Only data
 * with both the bytes and the right MD5 is an aggregate; all else is one plain record. The memory that taking it apart
 * takes is bounded by the data: the smallest user record has six bytes in it.
 */
final class KplDeaggregation {
    /** The most characters of a partition key; source: Kinesis's API reference. */
    static final int PARTITION_KEY_LENGTH_MAX = 256;

    private static final byte[] MAGIC = {(byte) 0xf3, (byte) 0x89, (byte) 0x9a, (byte) 0xc2};
    private static final int DIGEST_BYTES = 16;

    // Fields of the aggregate.
    private static final int PARTITION_KEY_TABLE = 1;
    private static final int EXPLICIT_HASH_KEY_TABLE = 2;
    private static final int RECORDS = 3;

    // Fields of a record in it.
    private static final int PARTITION_KEY_INDEX = 1;
    private static final int EXPLICIT_HASH_KEY_INDEX = 2;
    private static final int DATA = 3;

    /** A user record with its own partition key. */
    record UserRecord(String partitionKey, byte[] data) {}

    /** A user record as it is written; the tables that its indexes point into may stand behind it. */
    private record Entry(long partitionKeyIndex, @Nullable Long explicitHashKeyIndex, byte[] data) {}

    private final List<String> partitionKeys = new ArrayList<>();
    private final List<Entry> entries = new ArrayList<>();
    private int explicitHashKeys;

    private KplDeaggregation() {}

    /** Whether data is an aggregate. */
    static boolean isAggregate(byte[] data) {
        if (data.length < MAGIC.length + DIGEST_BYTES) {
            return false;
        }
        for (int i = 0; i < MAGIC.length; i++) {
            if (data[i] != MAGIC[i]) {
                return false;
            }
        }
        MessageDigest md5 = md5();
        md5.update(data, MAGIC.length, messageEnd(data) - MAGIC.length);
        byte[] digest = md5.digest();
        for (int i = 0; i < DIGEST_BYTES; i++) {
            if (data[messageEnd(data) + i] != digest[i]) {
                return false;
            }
        }
        return true;
    }

    /**
     * The user records of an aggregate, all of them, whatever shard their hash keys belong to: after a split or a merge
     * an aggregate lies in one shard and is delivered by no other.
     */
    static List<UserRecord> userRecords(byte[] aggregate) throws BrokenAggregateException {
        KplDeaggregation parsed = new KplDeaggregation();
        parsed.readAll(new ProtobufFields(aggregate, MAGIC.length, messageEnd(aggregate)));
        List<UserRecord> userRecords = new ArrayList<>(parsed.entries.size());
        for (Entry entry : parsed.entries) {
            userRecords.add(parsed.resolve(entry, userRecords.size()));
        }
        return userRecords;
    }

    private static int messageEnd(byte[] data) {
        return data.length - DIGEST_BYTES;
    }

    private void readAll(ProtobufFields fields) throws BrokenAggregateException {
        while (fields.next()) {
            if (fields.is(PARTITION_KEY_TABLE, ProtobufFields.BYTES)) {
                partitionKeys.add(fields.text());
            } else if (fields.is(EXPLICIT_HASH_KEY_TABLE, ProtobufFields.BYTES)) {
                fields.skip();
                explicitHashKeys++;
            } else if (fields.is(RECORDS, ProtobufFields.BYTES)) {
                entries.add(readEntry(fields.message(), entries.size()));
            } else {
                fields.skip();
            }
        }
    }

    private static Entry readEntry(ProtobufFields fields, int index) throws BrokenAggregateException {
        Long partitionKeyIndex = null;
        Long explicitHashKeyIndex = null;
        byte[] data = null;
        while (fields.next()) {
            if (fields.is(PARTITION_KEY_INDEX, ProtobufFields.VARINT)) {
                partitionKeyIndex = fields.number();
            } else if (fields.is(EXPLICIT_HASH_KEY_INDEX, ProtobufFields.VARINT)) {
                explicitHashKeyIndex = fields.number();
            } else if (fields.is(DATA, ProtobufFields.BYTES)) {
                data = fields.bytes();
            } else {
                fields.skip();
            }
        }
        if (partitionKeyIndex == null || data == null) {
            throw new BrokenAggregateException("The user record number " + index + " has no "
                    + (partitionKeyIndex == null ? "partition key." : "data."));
        }
        return new Entry(partitionKeyIndex, explicitHashKeyIndex, data);
    }

    private UserRecord resolve(Entry entry, int index) throws BrokenAggregateException {
        checkIndex(entry.partitionKeyIndex(), partitionKeys.size(), "partition keys", index);
        if (entry.explicitHashKeyIndex() != null) {
            checkIndex(entry.explicitHashKeyIndex(), explicitHashKeys, "explicit hash keys", index);
        }
        String partitionKey = partitionKeys.get((int) entry.partitionKeyIndex());
        if (partitionKey.length() > PARTITION_KEY_LENGTH_MAX) {
            throw new BrokenAggregateException("The user record number " + index + " has a partition key of "
                    + partitionKey.length() + " characters; Kinesis takes " + PARTITION_KEY_LENGTH_MAX + ".");
        }
        return new UserRecord(partitionKey, entry.data());
    }

    private static void checkIndex(long index, int size, String table, int record) throws BrokenAggregateException {
        if (index < 0 || index >= size) {
            throw new BrokenAggregateException("The user record number " + record + " points at number "
                    + Long.toUnsignedString(index) + " of " + size + " " + table + ".");
        }
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has MD5", e);
        }
    }
}
