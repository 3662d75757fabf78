package io.millrace.aws;

import static io.millrace.aws.ShellFixture.errorOf;
import static io.millrace.aws.ShellFixture.failedAt;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.ErrorPolicy;
import io.millrace.aws.BatchReport.Count;
import io.millrace.local.InvocationOutcome;
import io.millrace.local.KplAggregate;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.SdkBytes;

/** Records that the Kinesis Producer Library packed, through the whole shell; numbers in brackets are field cases. */
class AggregateTest {
    private static final String POISON = "poison";
    private static final int DELIVERIES_MAX = 20;

    /** More than an invocation of one aggregate makes. */
    private static final int REQUESTS_MAX = 60;

    private static byte[] aggregate(String key, String... texts) {
        KplAggregate aggregate = new KplAggregate();
        for (String text : texts) {
            aggregate.add(key, text.getBytes(UTF_8));
        }
        return aggregate.toBytes();
    }

    private static String[] texts(int count) {
        return IntStream.range(0, count).mapToObj(i -> "text" + i).toArray(String[]::new);
    }

    private static Lines throwing(ErrorPolicy policy) {
        return new Lines(policy, ErrorPolicy.deadLetter(), text -> {
            if (text.equals(POISON)) {
                throw new IllegalStateException("told to");
            }
        });
    }

    /** What is in the rows: "key number text", in order. */
    private static List<String> lines(ShellFixture fixture) {
        return fixture.scan(Lines.TABLE).stream()
                .sorted((a, b) -> a.path("number").asInt() - b.path("number").asInt())
                .map(row -> row.path("key").asText() + " " + row.path("number").asInt() + " "
                        + row.path("text").asText())
                .toList();
    }

    private static int countOf(ShellFixture fixture, String key) {
        return fixture.scan("lines-state").stream()
                .filter(cell -> cell.path("key").asText().equals(key))
                .mapToInt(cell -> cell.path("state").path("count").asInt())
                .sum();
    }

    private static String cursor(ShellFixture fixture) {
        return fixture.lane(0).path("cursor").asText();
    }

    /** Delivers the records from the first one that is not done on, until all are, and returns how often. */
    private static int deliverUntilDone(ShellFixture fixture, int records) {
        int from = 0;
        for (int delivery = 1; delivery <= DELIVERIES_MAX; delivery++) {
            InvocationOutcome outcome = fixture.invoke(0, from, records);
            if (outcome instanceof InvocationOutcome.FunctionError) {
                continue;
            }
            String failed = failedAt(outcome);
            if (failed == null) {
                return delivery;
            }
            while (!fixture.sequenceNumber(0, from).equals(failed)) {
                from++;
            }
        }
        throw new AssertionError("not done after " + DELIVERIES_MAX + " deliveries");
    }

    @Test
    void anAggregateCrashedAfterItsFirstUserRecordIsCountedOnce() { // [2]
        List<String> met = new ArrayList<>();
        Lines pipeline = new Lines(ErrorPolicy.fail(), ErrorPolicy.deadLetter(), text -> {
            met.add(text);
            if (text.equals("two") && met.size() <= 2) {
                throw new OutOfMemoryError("as if");
            }
        });
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.putBytes(0, aggregate("k", "one", "two", "three"));

            errorOf(fixture.invoke(0, 0, 1));
            assertThat(met).containsExactly("one", "two");
            fixture.process(0, 0, 1);
            fixture.process(0, 0, 1);

            assertThat(countOf(fixture, "k")).isEqualTo(3);
            assertThat(lines(fixture)).containsExactly("k 1 one", "k 2 two", "k 3 three");
        }
    }

    @Test
    void anAggregateWhoseFirstUserRecordIsCommittedGoesOnBehindIt() { // [2]
        Lines pipeline = throwing(ErrorPolicy.fail());
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.putBytes(0, aggregate("k", "one", POISON, "three"));

            assertThat(failedAt(fixture.invoke(0, 0, 1))).isEqualTo(fixture.sequenceNumber(0, 0));
            assertThat(countOf(fixture, "k")).isEqualTo(1);
            assertThat(cursor(fixture)).isEqualTo(fixture.sequenceNumber(0, 0));
            MillraceFunction mended = fixture.function(Lines.harmless(), builder -> builder);
            assertThat(failedAt(fixture.invoke(mended, 0, 0, 1))).isNull();

            assertThat(lines(fixture)).containsExactly("k 1 one", "k 2 poison", "k 3 three");
            assertThat(cursor(fixture)).isEqualTo(fixture.sequenceNumber(0, 0) + ":2");
            assertThat(fixture.lastReport().get(Count.DUPLICATES)).isEqualTo(1);
        }
    }

    @Test
    void stateLiesUnderTheUserRecordsKeysAndNotUnderTheOuterOne() { // [3]
        try (ShellFixture fixture = new ShellFixture(Lines.harmless(), 1)) {
            byte[] data = new KplAggregate()
                    .add("k1", "one".getBytes(UTF_8))
                    .add("k2", "two".getBytes(UTF_8))
                    .add("k1", "three".getBytes(UTF_8))
                    .toBytes();
            fixture.kinesis()
                    .putRecord(request ->
                            request.streamName("texts").partitionKey("a").data(SdkBytes.fromByteArray(data)));
            fixture.process(0, 0, 1);

            assertThat(fixture.scan("lines-state")).hasSize(2);
            assertThat(lines(fixture)).containsExactlyInAnyOrder("k1 1 one", "k2 1 two", "k1 2 three");
        }
    }

    @Test
    void aWrongDigestIsOnePlainRecordByteForByteUnderItsOwnKey() throws Exception { // [4]
        byte[] data = aggregate("k", "one", "two");
        data[data.length - 1]++;
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.putBytes(0, data);
            fixture.process(0, 0, 1);

            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("payload").binaryValue()).isEqualTo(data);
                assertThat(letter.path("partition_key").asText()).isEqualTo("p");
                assertThat(letter.has("aggregate_defect")).isFalse();
            });
            assertThat(cursor(fixture)).isEqualTo(fixture.sequenceNumber(0, 0));
        }
    }

    /**
     * Two transactions: 99 rows beside the cell, then 51. Wherever the invocation dies, between them too, a redelivery
     * makes it whole.
     */
    @Test
    void anAggregateOf150UserRecordsWithARowEachIsExactlyOnceAlsoIfItCrashedAfterTheFirstTransaction() {
        boolean crashedBetween = false;
        boolean ended = false;
        for (int request = 1; !ended; request++) {
            assertThat(request).isLessThan(REQUESTS_MAX);
            try (ShellFixture fixture = new ShellFixture(Lines.harmless(), 1)) {
                fixture.putBytes(0, aggregate("k", texts(150)));

                ended = fixture.invokeDyingAt(request, 0, 0, 1) instanceof InvocationOutcome.Returned;
                int rows = fixture.scan(Lines.TABLE).size();
                assertThat(rows).isIn(0, 99, 150);
                crashedBetween |= rows == 99;
                fixture.process(0, 0, 1);

                assertThat(fixture.scan(Lines.TABLE))
                        .as("rows, died at request %d", request)
                        .hasSize(150);
                assertThat(countOf(fixture, "k")).isEqualTo(150);
                assertThat(lines(fixture))
                        .isEqualTo(IntStream.range(0, 150)
                                .mapToObj(i -> "k " + (i + 1) + " text" + i)
                                .toList());
                assertThat(cursor(fixture)).isEqualTo(fixture.sequenceNumber(0, 0) + ":149");
            }
        }
        assertThat(crashedBetween)
                .as("one of the crashes lay between the transactions")
                .isTrue();
    }

    @Test
    void userRecordsOutsideTheShardsHashRangeDoNotVanish() {
        try (ShellFixture fixture = new ShellFixture(Lines.harmless(), 2)) {
            String highest = BigInteger.TWO.pow(128).subtract(BigInteger.ONE).toString();
            fixture.putBytes(
                    0,
                    new KplAggregate()
                            .add("k", "0", "lowest".getBytes(UTF_8))
                            .add("k", highest, "highest".getBytes(UTF_8))
                            .toBytes());
            fixture.process(0, 0, 1);

            assertThat(lines(fixture)).containsExactly("k 1 lowest", "k 2 highest");
        }
    }

    @Test
    void onlyThePoisonousUserRecordBecomesADeadLetterAfterItsTries() throws Exception {
        Lines pipeline = throwing(ErrorPolicy.retryThenDeadLetter(3));
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.putBytes(0, "before".getBytes(UTF_8));
            fixture.putBytes(0, aggregate("k", "one", POISON, "three", POISON));
            fixture.putBytes(0, aggregate("k", "four"));

            assertThat(failedAt(fixture.invoke(0, 0, 3)))
                    .as("the aggregate's sequence number")
                    .isEqualTo(fixture.sequenceNumber(0, 1));
            assertThat(deliverUntilDone(fixture, 3)).isLessThan(DELIVERIES_MAX);

            assertThat(lines(fixture)).containsExactlyInAnyOrder("p 1 before", "k 1 one", "k 2 three", "k 3 four");
            assertThat(Collections.frequency(pipeline.textsRun(), POISON)).isEqualTo(6);
            List<ObjectNode> letters = fixture.deadLetters();
            assertThat(letters).hasSize(2);
            for (ObjectNode letter : letters) {
                assertThat(letter.path("payload").binaryValue()).isEqualTo(POISON.getBytes(UTF_8));
                assertThat(letter.path("sequence_number").asText()).isEqualTo(fixture.sequenceNumber(0, 1));
                assertThat(letter.path("attempts").asInt()).isEqualTo(3);
                assertThat(letter.path("partition_key").asText()).isEqualTo("k");
            }
            assertThat(letters.stream()
                            .map(letter -> letter.path("sub_sequence").asInt()))
                    .containsExactlyInAnyOrder(1, 3);
        }
    }

    @Test
    void aUserRecordThatKillsTheProcessIsIsolatedInItsAggregate() { // [27]
        Lines pipeline = new Lines(ErrorPolicy.retryThenDeadLetter(3), ErrorPolicy.deadLetter(), text -> {
            if (text.equals(POISON)) {
                throw new OutOfMemoryError("as if");
            }
        });
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.putBytes(0, aggregate("k", "one", "two"));
            fixture.putBytes(0, aggregate("k", "three", POISON, "four"));

            errorOf(fixture.invoke(0, 0, 2));
            assertThat(fixture.lane(0).path("batch_first").asText()).isEqualTo(fixture.sequenceNumber(0, 0));
            assertThat(fixture.lane(0).path("batch_last").asText()).isEqualTo(fixture.sequenceNumber(0, 1) + ":2");
            deliverUntilDone(fixture, 2);

            assertThat(Collections.frequency(pipeline.textsRun(), POISON)).isEqualTo(5);
            assertThat(lines(fixture)).containsExactly("k 1 one", "k 2 two", "k 3 three", "k 4 four");
            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("kind").asText()).isEqualTo("PROCESS_KILLED");
                assertThat(letter.path("sub_sequence").asInt()).isEqualTo(1);
                assertThat(letter.path("attempts").asInt()).isEqualTo(3);
            });
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40})
    void whereverItsTimeEndsAnInvocationMakesProgressInAnAggregate(int question) {
        try (ShellFixture fixture = new ShellFixture(Lines.harmless(), 1)) {
            fixture.putBytes(0, aggregate("k", texts(8)));
            fixture.putBytes(0, aggregate("k", "last"));
            String before = "";
            for (int delivery = 1; ; delivery++) {
                assertThat(delivery).as("deliveries").isLessThanOrEqualTo(DELIVERIES_MAX);
                StreamsEventResponse response = fixture.function()
                        .handleRequest(fixture.event(0, 0, 2), ChaosContext.endingAtQuestion(question));
                if (response.getBatchItemFailures().isEmpty()) {
                    break;
                }
                assertThat(response.getBatchItemFailures().get(0).getItemIdentifier())
                        .isIn(fixture.sequenceNumber(0, 0), fixture.sequenceNumber(0, 1));
                assertThat(cursor(fixture)).isNotEqualTo(before);
                before = cursor(fixture);
            }

            assertThat(lines(fixture)).hasSize(9).endsWith("k 9 last");
            assertThat(countOf(fixture, "k")).isEqualTo(9);
        }
    }

    @Test
    void userRecordsBehindACursorInsideAnAggregateThatLambdaDiscardedAreNamedAsAGap() { // [28]
        Lines pipeline = throwing(ErrorPolicy.fail());
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.putBytes(0, aggregate("k", "one", "two", POISON, "four"));
            fixture.putBytes(0, aggregate("k", "five", "six"));
            failedAt(fixture.invoke(0, 0, 1));
            String inside = fixture.sequenceNumber(0, 0) + ":1";
            assertThat(cursor(fixture)).isEqualTo(inside);

            // Lambda gave the rest of the aggregate up and goes on behind it.
            String error = errorOf(fixture.invoke(0, 1, 2));

            assertThat(error)
                    .contains("committed up to " + inside + ", the batch begins at " + fixture.sequenceNumber(0, 1))
                    .contains("the stream's next record behind it is " + fixture.sequenceNumber(0, 0) + ":2")
                    .contains("MILLRACE_ACCEPT_GAP=texts/shardId-000000000000@" + inside + ".."
                            + fixture.sequenceNumber(0, 1));
            assertThat(countOf(fixture, "k")).isEqualTo(2);

            fixture.acceptGap(error.replaceAll("(?s).*MILLRACE_ACCEPT_GAP=([^,]+),.*", "$1"));
            fixture.process(0, 1, 2);
            assertThat(countOf(fixture, "k")).isEqualTo(4);
            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("kind").asText()).isEqualTo("GAP");
                assertThat(letter.path("after").asText()).isEqualTo(inside);
                assertThat(letter.path("before").asText()).isEqualTo(fixture.sequenceNumber(0, 1));
            });
        }
    }

    @Test
    void aCursorAtTheEndOfAnAggregateIsContiguousWithWhatIsBehindIt() {
        try (ShellFixture fixture = new ShellFixture(Lines.harmless(), 1)) {
            fixture.putBytes(0, aggregate("k", "one", "two"));
            fixture.putBytes(0, aggregate("k", "three", "four"));
            fixture.putBytes(0, "five".getBytes(UTF_8));
            fixture.putBytes(0, aggregate("k", "six"));
            for (int record = 0; record < 4; record++) {
                fixture.process(0, record, record + 1);
            }

            assertThat(lines(fixture)).hasSize(6);
            assertThat(countOf(fixture, "k")).isEqualTo(5);
        }
    }

    @Test
    void anAggregateThatLambdaDiscardedAsAWholeIsAGap() { // [28]
        try (ShellFixture fixture = new ShellFixture(Lines.harmless(), 1)) {
            fixture.putBytes(0, aggregate("k", "one", "two"));
            fixture.putBytes(0, aggregate("k", "three", "four"));
            fixture.putBytes(0, aggregate("k", "five"));
            fixture.process(0, 0, 1);

            assertThat(errorOf(fixture.invoke(0, 2, 3)))
                    .contains("committed up to " + fixture.sequenceNumber(0, 0) + ":1, ")
                    .contains("the stream's next record behind it is " + fixture.sequenceNumber(0, 1) + ". ");
        }
    }

    @Test
    void anEmptyAggregateHasNoElementAndTheCursorPassesIt() {
        try (ShellFixture fixture = new ShellFixture(Lines.harmless(), 1)) {
            fixture.putBytes(0, new KplAggregate().toBytes());
            fixture.putBytes(0, new KplAggregate().toBytes());
            fixture.putBytes(0, aggregate("k", "one"));
            fixture.process(0, 0, 1);
            assertThat(cursor(fixture)).isEqualTo(fixture.sequenceNumber(0, 0));
            fixture.process(0, 1, 3);

            assertThat(lines(fixture)).containsExactly("k 1 one");
            assertThat(fixture.deadLetters()).isEmpty();
        }
    }

    @Test
    void aBrokenAggregateIsADeadLetterAsAWholeAndItsNeighboursAreCommitted() throws Exception {
        byte[] broken = KplAggregate.of(new byte[] {0x0a, 5, 'k'});
        try (ShellFixture fixture = new ShellFixture(Lines.harmless(), 1)) {
            fixture.putBytes(0, aggregate("k", "one"));
            fixture.putBytes(0, broken);
            fixture.putBytes(0, aggregate("k", "two"));
            fixture.process(0, 0, 3);
            fixture.process(0, 1, 3);

            assertThat(lines(fixture)).containsExactly("k 1 one", "k 2 two");
            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("kind").asText()).isEqualTo("UNDECODABLE");
                assertThat(letter.path("payload").binaryValue()).isEqualTo(broken);
                assertThat(letter.path("sub_sequence").asInt()).isZero();
                assertThat(letter.path("error").asText())
                        .contains("A field of 5 bytes begins at byte 6, where 1 are left.");
                assertThat(letter.path("aggregate_defect").asText())
                        .isEqualTo("A field of 5 bytes begins at byte 6, where 1 are left.");
            });
        }
    }

    @Test
    void aBrokenAggregateFollowsThePolicyForUndecodableRecords() {
        Lines pipeline = new Lines(ErrorPolicy.deadLetter(), ErrorPolicy.fail(), text -> {});
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.putBytes(0, aggregate("k", "one", "two"));
            fixture.putBytes(0, KplAggregate.of(new byte[] {0}));
            for (int delivery = 0; delivery < 4; delivery++) {
                assertThat(failedAt(fixture.invoke(0, 0, 2))).isEqualTo(fixture.sequenceNumber(0, 1));
            }

            assertThat(lines(fixture)).hasSize(2);
            assertThat(fixture.deadLetters()).isEmpty();
        }
    }

    @Test
    void undecodableUserRecordsOfOneAggregateAreDeadLettersOfTheirOwn() throws Exception {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.putBytes(0, aggregate("k", Counting.event("k", 1), "no json", Counting.event("k", 2), "nor this"));
            fixture.process(0, 0, 1);
            fixture.process(0, 0, 1);

            assertThat(fixture.scan(Counting.TABLE).get(0).path("sum").asInt()).isEqualTo(3);
            assertThat(fixture.deadLetters().stream()
                            .map(letter -> letter.path("sub_sequence").asInt()))
                    .containsExactlyInAnyOrder(1, 3);
        }
    }

    @Test
    void twoLanesAndATwinOfAnAggregateCountEachUserRecordOnce() {
        try (ShellFixture fixture = new ShellFixture(Lines.harmless(), 2)) {
            fixture.putBytes(0, aggregate("k", texts(5)));
            fixture.putBytes(1, aggregate("k", "other1", "other2"));
            Fiber<StreamsEventResponse> zombie = fixture.fiber(0, 0, 1);
            zombie.run(4);
            fixture.process(0, 0, 1);
            fixture.process(1, 0, 1);
            zombie.run(REQUESTS_MAX);

            assertThat(zombie.thrown()).isNull();
            assertThat(lines(fixture)).hasSize(7).doesNotHaveDuplicates();
            assertThat(countOf(fixture, "k")).isEqualTo(7);
        }
    }
}
