package io.millrace.aws.internal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.SequenceNumber;
import io.millrace.local.KplAggregate;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Aggregates taken apart; the numbers in brackets are those of the field cases. */
class KplDeaggregationTest {
    /** Made by amazon-kinesis-aggregator 1.0.3: ("k1", one), ("k2", highest hash key, two), ("k1", three). */
    private static final String THREE_RECORDS =
            "f3899ac20a026b310a026b321227323432323038363731323836383533393838333935373835313738373037"
                    + "3837353430333232361227333430323832333636393230393338343633343633333734363037343331373638"
                    + "3231313435351a09080010001a036f6e651a09080110011a0374776f1a0b080010001a057468726565c3b40e"
                    + "bb588ca48eb2aaf0bff745f478";

    /** Made by amazon-kinesis-aggregator 1.0.3: ("é", hash key 0, no bytes). */
    private static final String NO_BYTES = "f3899ac20a02c3a91201301a06080010001a00fb3f441e3eab74dbd8d6be3a97b223a9";

    /** The SHA-256 of what amazon-kinesis-aggregator 1.0.3 makes of ("k0", 0) to ("k299", 299 as a byte). */
    private static final String SHA_256_OF_300_RECORDS =
            "50de89d291542faa7c8e534c51e1ac90d8874cd81d3bc778d9fa423b56db6681";

    private static final SequenceNumber SEQUENCE = new SequenceNumber("12");
    private static final Instant ARRIVAL = Instant.ofEpochSecond(99);

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static List<InputRecord> records(byte[] data) {
        return UserRecords.of(SEQUENCE, data, ARRIVAL, "a");
    }

    /** Position, partition key and data of each record. */
    private static List<String> described(byte[] data) {
        return records(data).stream()
                .map(record ->
                        record.position() + " " + record.partitionKey() + " " + new String(record.payload(), UTF_8))
                .toList();
    }

    private static String defectOf(byte[] message) {
        byte[] data = KplAggregate.of(message);
        List<InputRecord> records = records(data);
        assertThat(records).hasSize(1);
        InputRecord record = records.get(0);
        assertThat(record.packing()).isInstanceOf(InputRecord.BrokenAggregate.class);
        assertThat(record.payload()).as("all of it").isEqualTo(data);
        assertThat(record.position().subSequence()).isZero();
        assertThat(record.partitionKey()).isEqualTo("a");
        return ((InputRecord.BrokenAggregate) record.packing()).defect();
    }

    @Test
    void eachUserRecordHasItsIndexAsSubSequenceAndItsOwnPartitionKey() { // [3]
        assertThat(described(hex(THREE_RECORDS))).containsExactly("12 k1 one", "12:1 k2 two", "12:2 k1 three");
        assertThat(described(hex(NO_BYTES))).containsExactly("12 é ");
        assertThat(records(hex(THREE_RECORDS))).allSatisfy(record -> {
            assertThat(record.arrival()).isEqualTo(ARRIVAL);
            assertThat(record.packing()).isEqualTo(new InputRecord.UserRecord());
        });
    }

    @Test
    void theEncoderForTestsWritesWhatTheLibraryWrites() throws Exception {
        assertThat(new KplAggregate().add("é", "0", new byte[0]).toBytes()).isEqualTo(hex(NO_BYTES));
        KplAggregate many = new KplAggregate();
        for (int i = 0; i < 300; i++) {
            String key = "k" + i;
            String hashKey = new BigInteger(1, MessageDigest.getInstance("MD5").digest(bytes(key))).toString();
            many.add(key, hashKey, new byte[] {(byte) i});
        }
        assertThat(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(many.toBytes())))
                .isEqualTo(SHA_256_OF_300_RECORDS);
        assertThat(records(many.toBytes())).hasSize(300).last().satisfies(record -> {
            assertThat(record.partitionKey()).isEqualTo("k299");
            assertThat(record.payload()).containsExactly(299);
        });
    }

    @Test
    void aWrongDigestMakesOnePlainRecordByteForByte() { // [4]
        byte[] aggregate = hex(THREE_RECORDS);
        for (int i = 0; i < aggregate.length; i++) {
            byte[] changed = aggregate.clone();
            changed[i] ^= 0x10;
            List<InputRecord> records = records(changed);
            assertThat(records).as("byte " + i).hasSize(1);
            assertThat(records.get(0).payload()).isEqualTo(changed);
            assertThat(records.get(0).partitionKey()).isEqualTo("a");
            assertThat(records.get(0).position().subSequence()).isZero();
            assertThat(records.get(0).packing()).isEqualTo(new InputRecord.UserRecord());
        }
    }

    @Test
    void whatIsCutOrHasSomethingBehindItIsOnePlainRecord() { // [4]
        byte[] aggregate = hex(THREE_RECORDS);
        for (int length = 0; length < aggregate.length; length++) {
            assertThat(described(Arrays.copyOf(aggregate, length))).hasSize(1);
        }
        assertThat(records(Arrays.copyOf(aggregate, aggregate.length + 1))
                        .get(0)
                        .packing())
                .isEqualTo(new InputRecord.UserRecord());
    }

    @Test
    void anAggregateWithoutUserRecordsIsOneRecordForTheCursor() {
        ByteArrayOutputStream onlyKeys = new ByteArrayOutputStream();
        onlyKeys.writeBytes(new byte[] {0x0a, 2, 'k', '1'});
        for (byte[] data : List.of(new KplAggregate().toBytes(), KplAggregate.of(onlyKeys.toByteArray()))) {
            assertThat(records(data))
                    .singleElement()
                    .satisfies(record -> assertThat(record.packing()).isEqualTo(new InputRecord.EmptyAggregate()));
        }
    }

    @Test
    void anAggregateInAnAggregateStaysAsItIs() {
        byte[] inner = new KplAggregate().add("k", bytes("one")).toBytes();

        List<InputRecord> records =
                records(new KplAggregate().add("outer", inner).toBytes());

        assertThat(records)
                .singleElement()
                .satisfies(record -> assertThat(record.payload()).isEqualTo(inner));
    }

    @Test
    void userRecordsOfAnyHashKeyStay() {
        byte[] aggregate = new KplAggregate()
                .add("k1", "0", bytes("lowest"))
                .add("k2", BigInteger.TWO.pow(128).subtract(BigInteger.ONE).toString(), bytes("highest"))
                .toBytes();
        assertThat(described(aggregate)).containsExactly("12 k1 lowest", "12:1 k2 highest");
    }

    @Test
    void unknownFieldsAndTheOrderOfFieldsDoNotMatter() {
        byte[] message = hex(
                // Fields number 9, one of each wire type.
                "4805" + "490102030405060708" + "4a020102" + "4d01020304"
                        // A record with tags before its index and its data, then the table that it points into.
                        + "1a0d" + "22060a0161120162" + "0800" + "1a0178" + "0a016b");
        assertThat(described(KplAggregate.of(message))).containsExactly("12 k x");
    }

    @Test
    void theLastValueOfARepeatedNumberCounts() {
        assertThat(described(KplAggregate.of(hex("0a016b0a016c" + "1a07" + "08000801" + "1a0178"))))
                .containsExactly("12 l x");
    }

    @ParameterizedTest
    @CsvSource({
        "0a, A number is cut at byte 5.",
        "0a05, 'A field of 5 bytes begins at byte 6, where 0 are left.'",
        "0affffffff0f, 'A field of -1 bytes begins at byte 10, where 0 are left.'",
        "0a016b1a0508001a0278, 'A field of 2 bytes begins at byte 13, where 1 are left.'",
        "0a016b1a0408001a05, 'A field of 5 bytes begins at byte 13, where 0 are left.'",
        "0a016b1a021a00, The user record number 0 has no partition key.",
        "0a016b1a020800, The user record number 0 has no data.",
        "0a016b1a0408011a00, The user record number 0 points at number 1 of 1 partition keys.",
        "1a0408001a00, The user record number 0 points at number 0 of 0 partition keys.",
        "0a016b1a0608001a0010001a0408001a00, The user record number 0 points at number 0 of 0 explicit hash keys.",
        "0a016b1a0d08ffffffffffffffffff011a00, "
                + "The user record number 0 points at number 18446744073709551615 of 1 partition keys.",
        "0a016b1a0f080010ffffffffffffffffff011a00, "
                + "The user record number 0 points at number 18446744073709551615 of 0 explicit hash keys.",
        "08ffffffffffffffffffff01, A number has more than 10 bytes before byte 15.",
        "0001, There is a field number 0 before byte 5.",
        "0b, There is a field of wire type 3 before byte 5.",
        "4c, There is a field of wire type 4 before byte 5.",
        "4f, There is a field of wire type 7 before byte 5.",
        "4901020304050607, A field is cut at byte 5.",
        "4d010203, A field is cut at byte 5."
    })
    void whatCannotBeTakenApartIsBrokenAsAWholeAndSaysWhere(String message, String defect) {
        assertThat(defectOf(hex(message))).isEqualTo(defect);
    }

    @Test
    void aPartitionKeyIsAsLongAsKinesisTakesIt() {
        assertThat(records(new KplAggregate().add("k".repeat(256), new byte[0]).toBytes())
                        .get(0)
                        .partitionKey())
                .hasSize(256);
        byte[] tooLong = new KplAggregate().add("k".repeat(257), new byte[0]).toBytes();
        assertThat(defectOf(Arrays.copyOfRange(tooLong, 4, tooLong.length - 16)))
                .isEqualTo("The user record number 0 has a partition key of 257 characters; Kinesis takes 256.");
    }

    /** Ten mebibytes, which is what Kinesis takes, of the smallest user records. */
    @Test
    @Timeout(30)
    void theLargestRecordOfTheSmallestUserRecordsIsTakenApart() {
        int count = (10 * 1024 * 1024 - 4 - 16 - 3) / 6;
        ByteArrayOutputStream message = new ByteArrayOutputStream();
        message.writeBytes(hex("0a016b"));
        byte[] smallest = hex("1a0408001a00");
        for (int i = 0; i < count; i++) {
            message.writeBytes(smallest);
        }
        List<InputRecord> records = records(KplAggregate.of(message.toByteArray()));
        assertThat(records).hasSize(count);
        assertThat(records.get(count - 1).position().subSequence()).isEqualTo(count - 1);
    }

    /** Random bytes, and aggregates whose message was changed and whose digest was made right again. */
    @Test
    @Timeout(60)
    void fuzz() {
        byte[] good = hex(THREE_RECORDS);
        byte[] message = Arrays.copyOfRange(good, 4, good.length - 16);
        int takenApart = 0;
        int broken = 0;
        for (long seed = 1; seed <= 20_000; seed++) {
            Random random = new Random(seed);
            byte[] changed = changed(random.nextInt(10) == 0 ? noise(random) : message, random);
            byte[] data = random.nextInt(10) == 0 ? changed : KplAggregate.of(changed);
            byte[] before = data.clone();
            List<InputRecord> records = records(data);
            assertThat(data).as("seed %d", seed).isEqualTo(before);
            assertThat(records).as("seed %d", seed).isNotEmpty().hasSizeLessThanOrEqualTo(1 + data.length / 6);
            assertThat(described(data)).as("again, seed %d", seed).isEqualTo(described(before));
            int payloads =
                    records.stream().mapToInt(record -> record.payload().length).sum();
            assertThat(payloads).as("seed %d", seed).isLessThanOrEqualTo(data.length);
            for (int i = 0; i < records.size(); i++) {
                assertThat(records.get(i).position().subSequence()).isEqualTo(i);
            }
            if (records.get(0).packing() instanceof InputRecord.BrokenAggregate) {
                broken++;
                assertThat(records).hasSize(1);
                assertThat(records.get(0).payload()).as("nothing of it is lost").isEqualTo(data);
            } else if (KplDeaggregation.isAggregate(data)) {
                takenApart++;
            } else {
                assertThat(records.get(0).payload()).as("nothing of it is lost").isEqualTo(data);
            }
            assertThat(described(good)).as("a good one after seed %d", seed).hasSize(3);
        }
        assertThat(takenApart).isGreaterThan(1_000);
        assertThat(broken).isGreaterThan(1_000);
    }

    private static byte[] noise(Random random) {
        byte[] bytes = new byte[random.nextInt(100)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] changed(byte[] message, Random random) {
        List<Byte> bytes = new ArrayList<>();
        for (byte one : message) {
            bytes.add(one);
        }
        for (int changes = random.nextInt(4); changes > 0 && !bytes.isEmpty(); changes--) {
            int at = random.nextInt(bytes.size());
            switch (random.nextInt(4)) {
                case 0 -> bytes.set(at, (byte) (bytes.get(at) ^ (1 << random.nextInt(8))));
                case 1 -> bytes.remove(at);
                case 2 -> bytes.add(at, (byte) random.nextInt(256));
                default -> bytes.subList(at, bytes.size()).clear();
            }
        }
        byte[] changed = new byte[bytes.size()];
        for (int i = 0; i < changed.length; i++) {
            changed[i] = bytes.get(i);
        }
        return changed;
    }

    /** Aggregates of random user records come back as they were put in. */
    @Test
    void whatIsPutInComesOut() {
        for (long seed = 1; seed <= 300; seed++) {
            Random random = new Random(seed);
            KplAggregate aggregate = new KplAggregate();
            List<String> expected = new ArrayList<>();
            for (int count = 1 + random.nextInt(300); count > 0; count--) {
                String key = "key" + random.nextInt(200);
                String data = "d".repeat(random.nextInt(300));
                aggregate.add(key, random.nextBoolean() ? Integer.toString(random.nextInt(300)) : null, bytes(data));
                expected.add("12" + (expected.isEmpty() ? "" : ":" + expected.size()) + " " + key + " " + data);
            }
            assertThat(described(aggregate.toBytes())).as("seed %d", seed).isEqualTo(expected);
        }
    }

    @Test
    void aDefectIsASentence() {
        assertThatThrownBy(() -> new ProtobufFields(new byte[] {(byte) 0x80}, 0, 1).next())
                .isInstanceOf(BrokenAggregateException.class)
                .hasMessageMatching("[A-Z].*\\.");
    }
}
