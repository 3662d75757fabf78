package io.millrace.aws;

import static io.millrace.aws.Counting.event;
import static io.millrace.aws.ShellFixture.errorOf;
import static io.millrace.aws.ShellFixture.failedAt;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.ErrorPolicy;
import io.millrace.aws.BatchReport.Count;
import io.millrace.local.Fault;
import io.millrace.local.FaultInjector;
import io.millrace.local.InvocationOutcome;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Batches through the whole shell; the numbers in brackets are those of the field cases. */
class BatchInvocationTest {

    private static ObjectNode row(ShellFixture fixture, String key) {
        return Objects.requireNonNull(fixture.scanBy("key", Counting.TABLE).get(key), "no row of " + key);
    }

    private static void assertTotals(ShellFixture fixture, String key, int count, long sum) {
        ObjectNode row = row(fixture, key);
        assertThat(row).as("row of " + key).isNotNull();
        assertThat(row.path("count").asInt()).as("count of " + key).isEqualTo(count);
        assertThat(row.path("sum").asLong()).as("sum of " + key).isEqualTo(sum);
    }

    @Test
    void aBatchIsCountedOnceHoweverOftenItIsDelivered() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("a", 1), event("b", 2), event("a", 3));
            fixture.process(0, 0, 3);
            fixture.process(0, 0, 3);
            fixture.process(0, 1, 2);

            assertTotals(fixture, "a", 2, 4);
            assertTotals(fixture, "b", 1, 2);
            assertThat(fixture.lastReport().get(Count.DUPLICATES)).isEqualTo(1);
        }
    }

    @Test
    void aThrowCommitsWhatIsBeforeAndNothingBehindAndNamesOnlyItself() { // [1]
        Counting pipeline = new Counting(
                value -> {
                    if (value == 2) {
                        throw new IllegalStateException("two");
                    }
                },
                ErrorPolicy.fail());
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, event("k", 1), event("k", 2), event("k", 3));

            String failed = failedAt(fixture.invoke(0, 0, 3));

            assertThat(failed).isEqualTo(fixture.sequenceNumber(0, 1));
            assertTotals(fixture, "k", 1, 1);
            assertThat(pipeline.valuesRun()).doesNotContain(3);
        }
    }

    @Test
    void theCursorNeverGoesBack() { // [6]
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1), event("k", 2), event("k", 3), event("k", 4), event("k", 5));
            fixture.process(0, 0, 5);
            fixture.process(0, 0, 3);

            assertThat(fixture.lane(0).path("cursor").asText()).isEqualTo(fixture.sequenceNumber(0, 4));
            assertTotals(fixture, "k", 5, 15);
        }
    }

    @Test
    void twoLanesUpdateOneKeyOnceEach() { // [11]
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 2)) {
            fixture.put(0, event("k", 1), event("k", 2));
            fixture.put(1, event("k", 10), event("k", 20));
            MillraceFunction first = fixture.function();
            MillraceFunction second = fixture.function();
            Thread other = new Thread(() -> fixture.invoke(second, 1, 0, 2));
            other.start();
            fixture.invoke(first, 0, 0, 2);
            join(other);

            assertTotals(fixture, "k", 4, 33);
        }
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aLostResponseIsTakenAsCommitted() { // [12]
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1));
            fixture.setFaults(FaultInjector.scripted()
                    .inject("DynamoDB.TransactWriteItems", 1, Fault.LOST_RESPONSE)
                    .build());
            fixture.process(0, 0, 1);

            assertTotals(fixture, "k", 1, 1);
        }
    }

    @Test
    void aLostResponseOfAPlainPutIsTakenAsCommittedThoughTheRetryFailsItsCondition() { // [12]
        Counting withoutRows = new Counting(value -> {}, ErrorPolicy.fail(), ErrorPolicy.deadLetter(), false);
        try (ShellFixture fixture = new ShellFixture(withoutRows, 1)) {
            fixture.put(0, event("k", 1));
            fixture.setFaults(FaultInjector.scripted()
                    .inject("DynamoDB.PutItem", 1, 4, Fault.LOST_RESPONSE)
                    .build());
            fixture.process(0, 0, 1);

            assertThat(fixture.scan("counting-state")
                            .get(0)
                            .path("state")
                            .path("totals")
                            .asText())
                    .contains("\"count\":1");
            assertThat(withoutRows.valuesRun()).as("never computed again").containsExactly(1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "TRANSACTION_CONFLICT",
                "TRANSACTION_IN_PROGRESS",
                "THROTTLE",
                "LOST_RESPONSE",
                "INTERNAL_SERVER_ERROR"
            })
    void aTransientFaultOfATransactionHasOneEffect(String fault) { // [9] [13]
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1), event("k", 2));
            fixture.setFaults(FaultInjector.scripted()
                    .inject("DynamoDB.TransactWriteItems", 1, 5, Fault.valueOf(fault))
                    .build());
            fixture.process(0, 0, 2);

            assertTotals(fixture, "k", 2, 3);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "DynamoDB.GetItem, THROTTLE",
        "DynamoDB.GetItem, LOST_RESPONSE",
        "DynamoDB.BatchGetItem, THROTTLE",
        "DynamoDB.BatchGetItem, INTERNAL_SERVER_ERROR",
        "DynamoDB.PutItem, THROTTLE",
        "Kinesis.GetRecords, THROTTLE",
        "Kinesis.GetRecords, LOST_REQUEST",
        "Kinesis.GetShardIterator, THROTTLE"
    })
    void aTransientFaultOfAnyOtherRequestIsWaitedOut(String operation, Fault fault) {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1), event("k", 2));
            fixture.setFaults(
                    FaultInjector.scripted().inject(operation, 1, 10, fault).build());
            fixture.process(0, 0, 2);

            assertTotals(fixture, "k", 2, 3);
        }
    }

    @Test
    void unprocessedKeysAreLoadedToo() { // [14]
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("a", 1), event("a", 2), event("b", 3), event("c", 4));
            fixture.process(0, 0, 4);
            fixture.put(0, event("a", 1), event("a", 2), event("b", 3), event("c", 4));
            fixture.setFaults(FaultInjector.scripted()
                    .inject("DynamoDB.BatchGetItem", 1, 2, Fault.UNPROCESSED_KEYS)
                    .build());
            fixture.process(0, 4, 8);

            assertTotals(fixture, "a", 4, 6);
            assertTotals(fixture, "b", 2, 6);
            assertTotals(fixture, "c", 2, 8);
            assertThat(fixture.lastReport().get(Count.CONFLICTS))
                    .as("no cell was taken for absent")
                    .isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 60, 157, 400})
    void aBatchOf150KeysIsExactlyOnceWhereverItsInvocationDies(int request) { // [15] [16]
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            IntStream.range(0, 150).forEach(i -> fixture.put(0, event("key-" + i, i)));

            InvocationOutcome outcome = fixture.invokeDyingAt(request, 0, 0, 150);
            boolean died = outcome instanceof InvocationOutcome.FunctionError;
            assertThat(died).as("died at request " + request).isEqualTo(request < 400);
            fixture.process(0, 0, 150);

            assertThat(fixture.scan(Counting.TABLE)).hasSize(150);
            fixture.scan(Counting.TABLE)
                    .forEach(row -> assertThat(row.path("count").asInt()).isEqualTo(1));
        }
    }

    @Test
    void anUndecodableRecordIsADeadLetterWithItsPayloadAndItsNeighboursAreCommitted() throws Exception { // [20]
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1));
            fixture.putBytes(0, new byte[] {(byte) 0xff, (byte) 0xfe});
            fixture.putBytes(0, new byte[0]); // [19]
            fixture.put(0, event("k", 2));
            fixture.process(0, 0, 4);
            fixture.process(0, 0, 4);

            assertTotals(fixture, "k", 2, 3);
            List<ObjectNode> letters = fixture.deadLetters();
            assertThat(letters).hasSize(2);
            ObjectNode letter = letters.get(0);
            assertThat(letter.path("payload").binaryValue()).containsExactly(0xff, 0xfe);
            assertThat(letter.path("kind").asText()).isEqualTo("UNDECODABLE");
            assertThat(letter.path("lane").asText()).isEqualTo("events/shardId-000000000000");
            assertThat(letter.path("sequence_number").asText()).isEqualTo(fixture.sequenceNumber(0, 1));
            assertThat(letters.get(1).path("payload").binaryValue()).isEmpty();
        }
    }

    @Test
    void undecodableRecordsCanFailTheBatchInstead() {
        Counting pipeline = new Counting(value -> {}, ErrorPolicy.fail(), ErrorPolicy.fail(), true);
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, event("k", 1), "no json", event("k", 2));

            assertThat(failedAt(fixture.invoke(0, 0, 3))).isEqualTo(fixture.sequenceNumber(0, 1));
            assertThat(failedAt(fixture.invoke(0, 1, 3))).isEqualTo(fixture.sequenceNumber(0, 1));
            assertTotals(fixture, "k", 1, 1);
            assertThat(fixture.deadLetters()).isEmpty();
        }
    }

    @Test
    void aLongKeyWorks() { // [22]
        String key = "k".repeat(3_000);
        try (ShellFixture fixture =
                new ShellFixture(new Counting(value -> {}, ErrorPolicy.fail(), ErrorPolicy.deadLetter(), false), 1)) {
            fixture.put(0, event(key, 1));
            fixture.process(0, 0, 1);
            fixture.put(0, event(key, 2));
            fixture.process(0, 1, 2);

            List<ObjectNode> cells = fixture.scan("counting-state");
            assertThat(cells).hasSize(1);
            assertThat(cells.get(0).path("key").asText()).isEqualTo(key);
            assertThat(cells.get(0).path("state").path("totals").asText()).contains("\"count\":2");
        }
    }

    @Test
    void theWholeStreamAgainChangesNothing() { // [26]
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            IntStream.range(0, 40).forEach(i -> fixture.put(0, event("k" + i % 7, i)));
            for (int from = 0; from < 40; from += 10) {
                fixture.process(0, from, from + 10);
            }
            List<ObjectNode> before = fixture.scan("counting-state");
            for (int from = 0; from < 40; from += 8) {
                fixture.process(0, from, from + 8);
                assertThat(fixture.lastReport().get(Count.DUPLICATES)).isEqualTo(8);
            }

            assertThat(fixture.scan("counting-state")).isEqualTo(before);
        }
    }

    @Test
    void anEmptyAnswerShortOfTheTipIsNotTakenForTheEnd() { // [31]
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1), event("k", 2));
            fixture.process(0, 0, 1);
            fixture.setFaults(FaultInjector.scripted()
                    .inject("Kinesis.GetRecords", 1, Fault.EMPTY_READ)
                    .emptyReads(3)
                    .build());
            fixture.process(0, 1, 2);

            assertTotals(fixture, "k", 2, 3);
        }
    }

    @Test
    void anExpiredIteratorIsAskedForAgain() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1));
            fixture.setFaults(FaultInjector.scripted()
                    .inject("Kinesis.GetRecords", 1, 2, Fault.EXPIRED_ITERATOR)
                    .build());
            fixture.process(0, 0, 1);

            assertTotals(fixture, "k", 1, 1);
        }
    }

    @Test
    void recordsThatLambdaDiscardedAreNamedAndNothingIsCommitted() { // [28]
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            IntStream.rangeClosed(1, 6).forEach(i -> fixture.put(0, event("k", i)));
            fixture.process(0, 0, 2);

            String error = errorOf(fixture.invoke(0, 4, 6));

            assertThat(error)
                    .contains("events/shardId-000000000000")
                    .contains(fixture.sequenceNumber(0, 1))
                    .contains(fixture.sequenceNumber(0, 2))
                    .contains(fixture.sequenceNumber(0, 4))
                    .contains("MILLRACE_ACCEPT_GAP=");
            assertThat(fixture.lastReport().get(Count.GAPS)).isEqualTo(1);
            assertTotals(fixture, "k", 2, 3);

            String gap = error.replaceAll("(?s).*MILLRACE_ACCEPT_GAP=([^,]+),.*", "$1");
            fixture.acceptGap(gap);
            fixture.process(0, 4, 6);
            assertThat(fixture.lastReport().get(Count.GAPS_ACCEPTED)).isEqualTo(1);
            assertTotals(fixture, "k", 4, 14);
            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("kind").asText()).isEqualTo("GAP");
                assertThat(letter.path("after").asText()).isEqualTo(fixture.sequenceNumber(0, 1));
                assertThat(letter.path("before").asText()).isEqualTo(fixture.sequenceNumber(0, 4));
            });
        }
    }

    @Test
    void aMappingThatStartedTooLateIsNoticed() { // [28]
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1), event("k", 2));

            assertThat(errorOf(fixture.invoke(0, 1, 2))).contains("its beginning");
            fixture.process(0, 0, 2);
            assertTotals(fixture, "k", 2, 3);
        }
    }

    @Test
    void aGapCountsNoAttemptOfAnyRecord() {
        Counting pipeline = new Counting(value -> {}, ErrorPolicy.retryThenDeadLetter(1));
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, event("k", 1), event("k", 2), event("k", 3));
            fixture.process(0, 0, 1);
            for (int i = 0; i < 6; i++) {
                errorOf(fixture.invoke(0, 2, 3));
            }
            fixture.process(0, 1, 3);

            assertTotals(fixture, "k", 3, 6);
            assertThat(fixture.lastReport().get(Count.RUN_ALONE)).isZero();
            assertThat(fixture.deadLetters()).isEmpty();
        }
    }

    @Test
    void aCellThatWasDeletedAndMadeAgainNeverHasAVersionThatItHadBefore() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 3)) {
            Set<String> versions = new HashSet<>();
            for (int shard = 0; shard < 3; shard++) {
                fixture.put(shard, event("k", 1), event("k", 2));
                for (int from = 0; from < 2; from++) {
                    fixture.process(shard, from, from + 1);
                    ObjectNode cell = fixture.scan("counting-state").get(0);
                    assertThat(versions.add(cell.path("version").asText()))
                            .as("else a writer that read the cell before would take the new one for it")
                            .isTrue();
                }
                // As DynamoDB's time to live does with a tombstone.
                String partitionKey =
                        fixture.scan("counting-state").get(0).path("pk").asText();
                fixture.dynamoDb()
                        .deleteItem(request -> request.tableName("counting-state")
                                .key(Map.of("pk", AttributeValue.fromS(partitionKey))));
            }
        }
    }
}
