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
import io.millrace.serde.Serde;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of records that cannot be processed; the numbers in brackets are those of the field cases. */
class ErrorPolicyTest {
    private static final int POISON = 13;

    private static Counting throwing(ErrorPolicy policy) {
        return new Counting(
                value -> {
                    if (value == POISON) {
                        throw new IllegalArgumentException("unlucky");
                    }
                },
                policy);
    }

    /** Kills the invocation as a process does that runs out of memory: nothing of it goes on. */
    private static Counting killing(ErrorPolicy policy) {
        return new Counting(
                value -> {
                    if (value == POISON) {
                        throw new OutOfMemoryError("as if");
                    }
                },
                policy);
    }

    private static int sumOf(ShellFixture fixture, String key) {
        ObjectNode row = fixture.scanBy("key", Counting.TABLE).get(key);
        return row == null ? 0 : row.path("sum").asInt();
    }

    private static long timesRun(Counting pipeline, int value) {
        return Collections.frequency(pipeline.valuesRun(), value);
    }

    /** Delivers what is not done yet again and again, as a mapping does, and returns how many deliveries it took. */
    private static int deliverUntilDone(ShellFixture fixture, int records, int deliveriesMax) {
        int from = 0;
        for (int delivery = 1; delivery <= deliveriesMax; delivery++) {
            InvocationOutcome outcome = fixture.invoke(0, from, records);
            if (outcome instanceof InvocationOutcome.FunctionError) {
                continue;
            }
            @Nullable String failed = failedAt(outcome);
            if (failed == null) {
                return delivery;
            }
            while (!fixture.sequenceNumber(0, from).equals(failed)) {
                from++;
            }
        }
        throw new AssertionError("not done after " + deliveriesMax + " deliveries");
    }

    @Test
    void aThrowingRecordIsTriedNTimesThenADeadLetterAndItsNeighboursAreCommitted() {
        Counting pipeline = throwing(ErrorPolicy.retryThenDeadLetter(3));
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, event("k", 1), event("j", 2), event("k", POISON), event("k", 4), event("j", 5));

            int deliveries = deliverUntilDone(fixture, 5, 10);

            assertThat(deliveries).isEqualTo(3);
            assertThat(timesRun(pipeline, POISON)).isEqualTo(3);
            assertThat(sumOf(fixture, "k")).isEqualTo(5);
            assertThat(sumOf(fixture, "j")).isEqualTo(7);
            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("kind").asText()).isEqualTo("FUNCTION_THREW");
                assertThat(letter.path("key").asText()).isEqualTo("k");
                assertThat(letter.path("error").asText()).contains("unlucky");
                assertThat(letter.path("attempts").asInt()).isEqualTo(3);
                assertThat(letter.path("status").asText()).isEqualTo("open");
                assertThat(letter.path("payload").binaryValue())
                        .isEqualTo(event("k", POISON).getBytes(java.nio.charset.StandardCharsets.UTF_8));
            });
        }
    }

    @Test
    void deadLetterAtOnceNeedsOneDelivery() {
        Counting pipeline = throwing(ErrorPolicy.deadLetter());
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, event("k", POISON), event("k", 1), event("k", POISON), event("k", 2), event("k", POISON));

            fixture.process(0, 0, 5);

            assertThat(sumOf(fixture, "k")).isEqualTo(3);
            assertThat(fixture.deadLetters()).hasSize(3);
            assertThat(timesRun(pipeline, POISON)).isEqualTo(3);
            fixture.process(0, 0, 5);
            assertThat(fixture.deadLetters()).hasSize(3);
        }
    }

    @Test
    void failKeepsFailingAtTheRecordAndLosesNothing() {
        try (ShellFixture fixture = new ShellFixture(throwing(ErrorPolicy.fail()), 1)) {
            fixture.put(0, event("k", 1), event("k", POISON), event("k", 2));
            assertThat(failedAt(fixture.invoke(0, 0, 3))).isEqualTo(fixture.sequenceNumber(0, 1));
            for (int i = 0; i < 5; i++) {
                assertThat(failedAt(fixture.invoke(0, 1, 3))).isEqualTo(fixture.sequenceNumber(0, 1));
            }

            assertThat(fixture.deadLetters()).isEmpty();
            assertThat(sumOf(fixture, "k")).isEqualTo(1);
            MillraceFunction mended = fixture.function(Counting.harmless(), builder -> builder);
            assertThat(failedAt(fixture.invoke(mended, 0, 1, 3))).isNull();
            assertThat(sumOf(fixture, "k")).isEqualTo(16);
        }
    }

    @Test
    void aRecordThatKillsTheProcessIsIsolatedAndDeadLetteredAfterItsThirdTryAlone() { // [27]
        Counting pipeline = killing(ErrorPolicy.retryThenDeadLetter(3));
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            IntStream.range(0, 10).forEach(i -> fixture.put(0, event("k" + i % 3, i == 6 ? POISON : 1)));

            int deliveries = deliverUntilDone(fixture, 10, 20);

            assertThat(deliveries)
                    .as("two together, three alone, one to give it up")
                    .isEqualTo(6);
            assertThat(timesRun(pipeline, POISON)).isEqualTo(5);
            assertThat(sumOf(fixture, "k0") + sumOf(fixture, "k1") + sumOf(fixture, "k2"))
                    .isEqualTo(9);
            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("kind").asText()).isEqualTo("PROCESS_KILLED");
                assertThat(letter.path("key").asText()).isEqualTo("k0");
                assertThat(letter.path("attempts").asInt()).isEqualTo(3);
            });
        }
    }

    @Test
    void attemptsAreWrittenBeforeUserCodeRuns() { // [27]
        Counting pipeline = killing(ErrorPolicy.retryThenDeadLetter(3));
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, event("k", POISON));
            errorOf(fixture.invoke(0, 0, 1));
            assertThat(fixture.lane(0).path("batch_begun").asInt()).isEqualTo(1);
            errorOf(fixture.invoke(0, 0, 1));
            assertThat(fixture.lane(0).path("batch_begun").asInt()).isEqualTo(2);
            errorOf(fixture.invoke(0, 0, 1));
            assertThat(fixture.lane(0).path("alone_attempts").asInt()).isEqualTo(1);
        }
    }

    @Test
    void aKilledInvocationsTwinCannotCommitTheRecordThatBecameADeadLetter() { // [27]
        Counting pipeline = killing(ErrorPolicy.retryThenDeadLetter(1));
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, event("k", POISON), event("k", 1));
            deliverUntilDone(fixture, 2, 10);
            assertThat(fixture.deadLetters()).hasSize(1);

            ObjectNode cell = fixture.scan("counting-state").get(0);
            assertThat(cell.path("fence").properties())
                    .as("moved past the dead letter")
                    .hasSize(1);
            assertThat(sumOf(fixture, "k")).isEqualTo(1);
        }
    }

    @Test
    void throttlesNeverCountAsAttempts() {
        Counting pipeline = killing(ErrorPolicy.retryThenDeadLetter(1));
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, event("k", 1), event("k", 2));
            // Two begun batches that die: from then on the records run alone.
            assertThat(fixture.invokeDyingAt(8, 0, 0, 2)).isInstanceOf(InvocationOutcome.FunctionError.class);
            assertThat(fixture.invokeDyingAt(7, 0, 0, 2)).isInstanceOf(InvocationOutcome.FunctionError.class);
            assertThat(fixture.scan(Counting.TABLE)).as("nothing was committed").isEmpty();
            for (int i = 0; i < 3; i++) {
                fixture.setFaults(FaultInjector.scripted()
                        .inject("DynamoDB.TransactWriteItems", 1, 100_000, Fault.TRANSACTION_CONFLICT)
                        .build());
                fixture.invoke(0, 0, 2);
                assertThat(fixture.lastReport().get(Count.RETRIES)).isPositive();
            }
            fixture.setFaults(null);
            fixture.process(0, 0, 2);

            assertThat(fixture.deadLetters()).isEmpty();
            assertThat(sumOf(fixture, "k")).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fail", "retry", "at once"})
    void stateOver400KilobytesIsANamedErrorUnderThePolicyAndNoEndlessRetry(String policyName) { // [22]
        ErrorPolicy policy = switch (policyName) {
            case "fail" -> ErrorPolicy.fail();
            case "retry" -> ErrorPolicy.retryThenDeadLetter(5);
            default -> ErrorPolicy.deadLetter();
        };
        Concatenating pipeline = new Concatenating(policy);
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, "\"" + RandomText.of(1, 300_000) + "\"");
            fixture.put(0, "\"" + RandomText.of(2, 300_000) + "\"");
            fixture.put(0, "\"c\"");

            String failed = failedAt(fixture.invoke(0, 0, 3));

            if (policy.deadLetters()) {
                assertThat(failed).isNull();
                assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                    assertThat(letter.path("kind").asText()).isEqualTo("UNACCEPTABLE");
                    assertThat(letter.path("error").asText()).contains("409600");
                });
                assertThat(lengthOf(fixture)).isEqualTo(300_001);
            } else {
                assertThat(failed).isEqualTo(fixture.sequenceNumber(0, 1));
                assertThat(lengthOf(fixture)).isEqualTo(300_000);
            }
        }
    }

    private static int lengthOf(ShellFixture fixture) {
        return Objects.requireNonNull(fixture.scanBy("key", Concatenating.TABLE).get("all"))
                .path("length")
                .asInt();
    }

    @Test
    void undecodableRecordsFollowTheirOwnPolicyWhateverTheStagesPolicyIs() {
        Counting pipeline =
                new Counting(value -> {}, ErrorPolicy.deadLetter(), ErrorPolicy.retryThenDeadLetter(4), true);
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, event("k", 1), "no json", event("k", 2));

            assertThat(deliverUntilDone(fixture, 3, 20)).isEqualTo(4);

            assertThat(sumOf(fixture, "k")).isEqualTo(3);
            assertThat(fixture.deadLetters()).singleElement().satisfies(letter -> {
                assertThat(letter.path("kind").asText()).isEqualTo("UNDECODABLE");
                assertThat(letter.path("attempts").asInt()).isEqualTo(4);
            });
        }
    }

    /** A serde that could not decode before it was mended, as far as anybody can tell the same one. */
    private record Mending(boolean mended) implements Serde<Counting.Event> {
        @Override
        public byte[] serialize(Counting.Event value) {
            throw new UnsupportedOperationException("nothing is written with it");
        }

        @Override
        public Counting.Event deserialize(byte[] data) throws IOException {
            if (!mended) {
                throw new IOException("not mended yet");
            }
            return new Counting.Event(List.of("k"), 1);
        }

        @Override
        public String description() {
            return "mending";
        }
    }

    @Test
    void aRecordThatIsGivenUpWithoutAKeyIsNeverAbsorbedByMendedCodeToo() {
        int dying = 0;
        boolean died = true;
        while (died) {
            dying++;
            try (ShellFixture fixture = new ShellFixture(Counting.harmless().decodedBy(new Mending(false)), 1)) {
                fixture.put(0, "one", "two");
                died = !(fixture.invokeDyingAt(dying, 0, 0, 2) instanceof InvocationOutcome.Returned);

                Counting mended = Counting.harmless().decodedBy(new Mending(true));
                assertThat(failedAt(fixture.invoke(fixture.function(mended, builder -> builder), 0, 0, 2)))
                        .isNull();

                int absorbed = fixture.scanBy("key", Counting.TABLE).containsKey("k") ? sumOf(fixture, "k") : 0;
                assertThat(absorbed + fixture.deadLetters().size())
                        .as("dying at request " + dying)
                        .isEqualTo(2);
            }
        }
        assertThat(dying).isGreaterThan(5);
    }

    @Test
    void undecodableRecordsThatFailTheBatchAreNeverGivenUpByTheStagesPolicy() {
        Counting pipeline = new Counting(value -> {}, ErrorPolicy.deadLetter(), ErrorPolicy.fail(), true);
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, "no json", event("k", 2));

            for (int delivery = 0; delivery < 6; delivery++) {
                assertThat(failedAt(fixture.invoke(0, 0, 2))).isEqualTo(fixture.sequenceNumber(0, 0));
            }

            assertThat(fixture.deadLetters()).isEmpty();
        }
    }

    @Test
    void onlyTheFailedKeysPartOfARecordBecomesADeadLetter() {
        Counting pipeline = new Counting(
                value -> {
                    if (value == POISON) {
                        throw new IllegalStateException("all parts");
                    }
                },
                ErrorPolicy.deadLetter());
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            fixture.put(0, "{\"keys\":[\"a\",\"b\",\"c\"],\"value\":1}");
            fixture.put(0, "{\"keys\":[\"a\",\"b\"],\"value\":" + POISON + "}");
            fixture.put(0, "{\"keys\":[\"a\",\"c\"],\"value\":5}");
            fixture.process(0, 0, 3);

            assertThat(fixture.deadLetters().stream()
                            .map(letter -> letter.path("key").asText()))
                    .containsExactlyInAnyOrder("a", "b");
            assertThat(List.of(sumOf(fixture, "a"), sumOf(fixture, "b"), sumOf(fixture, "c")))
                    .containsExactly(6, 1, 6);
        }
    }

    @Test
    void aDeadLetterLargerThanAnItemKeepsItsWholePayload() throws Exception {
        byte[] large = new byte[900_000];
        new java.util.Random(1).nextBytes(large);
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.putBytes(0, large);
            fixture.process(0, 0, 1);

            ObjectNode letter = fixture.deadLetters().get(0);
            assertThat(letter.path("payload_parts").asInt()).isEqualTo(3);
            java.io.ByteArrayOutputStream payload = new java.io.ByteArrayOutputStream();
            for (ObjectNode part : fixture.scan("counting-dead-letters").stream()
                    .filter(item -> item.path("status").asText().equals("part"))
                    .sorted(java.util.Comparator.comparing(
                            item -> item.path("sk").asText()))
                    .toList()) {
                payload.write(part.path("payload").binaryValue());
            }
            assertThat(payload.toByteArray()).isEqualTo(large);
        }
    }
}
