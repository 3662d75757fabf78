package io.millrace.aws;

import static io.millrace.aws.Counting.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.ErrorPolicy;
import io.millrace.MillraceException;
import io.millrace.aws.RedriveOutcome.ClosedBefore;
import io.millrace.aws.RedriveOutcome.FailedAgain;
import io.millrace.aws.RedriveOutcome.Redriven;
import io.millrace.aws.RedriveOutcome.Refused;
import io.millrace.aws.StoredDeadLetter.State;
import io.millrace.aws.internal.Surroundings;
import io.millrace.local.Fault;
import io.millrace.local.FaultInjector;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Redrives of dead letters that have a key: exactly once, whatever happens beside and between. */
class RedriveTest {
    private static final int POISON = 1_000;
    private static final int REQUESTS_MAX = 30;
    private static final int TO_THE_END = 10_000;

    /** Code that fails at large values. */
    private static Counting faulty() {
        return new Counting(
                value -> {
                    if (value >= POISON) {
                        throw new IllegalStateException("too large: " + value);
                    }
                },
                ErrorPolicy.deadLetter());
    }

    private static DeadLetters mended(ShellFixture fixture) {
        return fixture.operator(Counting.harmless(), builder -> builder);
    }

    /** A fixture with three records of a key, of which the second has become a dead letter. */
    private static ShellFixture withDeadLetter() {
        ShellFixture fixture = new ShellFixture(faulty(), 2);
        fixture.put(0, event("k", 1), event("k", POISON), event("k", 3));
        fixture.process(0, 0, 3);
        return fixture;
    }

    private static List<StoredDeadLetter> listed(DeadLetters deadLetters, DeadLetterFilter filter) {
        return StreamSupport.stream(deadLetters.list(filter).spliterator(), false)
                .sorted(Comparator.comparing(StoredDeadLetter::id))
                .toList();
    }

    private static List<String> openIds(ShellFixture fixture) {
        return listed(mended(fixture), DeadLetterFilter.open()).stream()
                .map(StoredDeadLetter::id)
                .toList();
    }

    private static Fiber<RedriveOutcome> fiber(ShellFixture fixture, String id) {
        DeadLetters deadLetters = mended(fixture);
        Callable<RedriveOutcome> redrive = () -> deadLetters.redrive(id);
        return new Fiber<>(redrive);
    }

    private static ObjectNode cell(ShellFixture fixture, String key) {
        return Objects.requireNonNull(fixture.scanBy("key", "counting-state").get(key));
    }

    private static String seen(ShellFixture fixture, String key) {
        return cell(fixture, key).path("state").path("totals").asText().replaceAll(".*\"seen\":\\[(.*)].*", "$1");
    }

    private static long rowSum(ShellFixture fixture, String key) {
        return Objects.requireNonNull(fixture.scanBy("key", Counting.TABLE).get(key))
                .path("sum")
                .asLong();
    }

    private static ObjectNode letter(ShellFixture fixture) {
        assertThat(fixture.deadLetters()).hasSize(1);
        return fixture.deadLetters().get(0);
    }

    private static void assertAbsorbedOnce(ShellFixture fixture) {
        assertThat(seen(fixture, "k")).isEqualTo("1,3,1000");
        assertThat(rowSum(fixture, "k")).isEqualTo(1_004);
        assertThat(letter(fixture).path("status").asText()).isEqualTo("done");
        assertThat(cell(fixture, "k").path("redrives").size()).isEqualTo(1);
    }

    private static void assertUntouched(ShellFixture fixture) {
        assertThat(seen(fixture, "k")).isEqualTo("1,3");
        assertThat(rowSum(fixture, "k")).isEqualTo(4);
        assertThat(letter(fixture).path("status").asText()).isEqualTo("open");
        assertThat(cell(fixture, "k").has("redrives")).isFalse();
    }

    @Test
    void aRedrivenRecordIsAbsorbedWithItsRowAndItsDeadLetterIsDone() {
        try (ShellFixture fixture = withDeadLetter()) {
            String fence = cell(fixture, "k").path("fence").toString();
            DeadLetters deadLetters = mended(fixture);
            String id = openIds(fixture).get(0);

            assertThat(deadLetters.redrive(id)).isEqualTo(new Redriven(1, 1));

            assertAbsorbedOnce(fixture);
            assertThat(cell(fixture, "k").path("fence").toString()).isEqualTo(fence);
            StoredDeadLetter done = deadLetters.find(id).orElseThrow();
            assertThat(done.state()).isEqualTo(State.DONE);
            assertThat(done.closed()).isNotNull();
            assertThat(deadLetters.redrive(id)).isEqualTo(new ClosedBefore(State.DONE));
            assertThat(openIds(fixture)).isEmpty();
            assertAbsorbedOnce(fixture);
            fixture.process(0, 0, 3);
            assertAbsorbedOnce(fixture);
        }
    }

    @Test
    void writesOfAnOperatorTellWhatTheyConsume() {
        try (ShellFixture fixture = withDeadLetter()) {
            String id = openIds(fixture).get(0);
            RequestMeter failing = new RequestMeter();
            fixture.operator(faulty(), builder -> builder.dynamoDb(fixture.dynamoDbWith(failing)))
                    .redrive(id);
            RequestMeter redriving = new RequestMeter();
            fixture.operator(Counting.harmless(), builder -> builder.dynamoDb(fixture.dynamoDbWith(redriving)))
                    .redrive(id);

            assertThat(failing.writeUnits()).as("the note of the attempt").isEqualTo(1);
            assertThat(redriving.writeUnits())
                    .as("the dead letter, the cell and its row, twice each for the transaction")
                    .isEqualTo(6);
        }
    }

    @Test
    void aDoneRowExpiresAWeekBehindTheRetentionAndItsCellKeepsTheRedriveADayLonger() {
        try (ShellFixture fixture = withDeadLetter()) {
            Instant now = Instant.now().truncatedTo(java.time.temporal.ChronoUnit.SECONDS);
            Surroundings fixed =
                    new Surroundings(Clock.fixed(now, java.time.ZoneOffset.UTC), new Random(1), millis -> {});
            fixture.operator(Counting.harmless(), builder -> builder.surroundings(fixed))
                    .redrive(openIds(fixture).get(0));

            Instant rowExpiry = now.plus(Duration.ofDays(1 + 7));
            assertThat(letter(fixture).path("ttl").asLong()).isEqualTo(rowExpiry.getEpochSecond());
            assertThat(cell(fixture, "k").path("redrives").elements().next().asLong())
                    .isEqualTo(rowExpiry.plus(Duration.ofDays(1)).getEpochSecond());
        }
    }

    @Test
    void theCellForgetsARedriveAtItsNextWriteAfterTheExpiry() {
        try (ShellFixture fixture = withDeadLetter()) {
            mended(fixture).redrive(openIds(fixture).get(0));
            fixture.put(0, event("k", 4), event("k", 5));

            processAfter(fixture, Duration.ofDays(8), 3);
            assertThat(cell(fixture, "k").path("redrives").size()).isEqualTo(1);
            processAfter(fixture, Duration.ofDays(10), 4);

            assertThat(cell(fixture, "k").has("redrives")).isFalse();
            assertThat(seen(fixture, "k")).isEqualTo("1,3,1000,4,5");
        }
    }

    private static void processAfter(ShellFixture fixture, Duration later, int record) {
        Surroundings surroundings =
                new Surroundings(Clock.offset(Clock.systemUTC(), later), new Random(later.toDays()), millis -> {});
        MillraceFunction function =
                fixture.function(Counting.harmless(), builder -> builder.surroundings(surroundings));
        assertThat(ShellFixture.failedAt(fixture.invoke(function, 0, record, record + 1)))
                .isNull();
    }

    @Test
    void aRedriveThatDiesAtAnyRequestIsDoneByTheNextOne() {
        boolean ended = false;
        for (int requests = 0; !ended; requests++) {
            assertThat(requests).isLessThan(REQUESTS_MAX);
            try (ShellFixture fixture = withDeadLetter()) {
                String id = openIds(fixture).get(0);
                Fiber<RedriveOutcome> dying = fiber(fixture, id);
                ended = dying.run(requests);
                if (!ended) {
                    dying.kill();
                }

                RedriveOutcome outcome = mended(fixture).redrive(id);

                assertThat(outcome).isIn(new Redriven(1, 1), new ClosedBefore(State.DONE));
                assertAbsorbedOnce(fixture);
            }
        }
    }

    @Test
    void twoRedrivesAtTheSameMomentAbsorbItOnce() {
        int length = requestsBeforeTheWrite();
        for (int first = 1; first <= length; first++) {
            for (int second = 1; second <= length; second++) {
                try (ShellFixture fixture = withDeadLetter()) {
                    String id = openIds(fixture).get(0);
                    Fiber<RedriveOutcome> one = fiber(fixture, id);
                    Fiber<RedriveOutcome> other = fiber(fixture, id);
                    one.run(first);
                    other.run(second);
                    one.run(TO_THE_END);
                    other.run(TO_THE_END);

                    assertThat(List.of(Objects.requireNonNull(one.result()), Objects.requireNonNull(other.result())))
                            .containsExactlyInAnyOrder(new Redriven(1, 1), new ClosedBefore(State.DONE));
                    assertAbsorbedOnce(fixture);
                }
            }
        }
    }

    /** How many requests a redrive makes before the last one, its transaction. */
    private static int requestsBeforeTheWrite() {
        try (ShellFixture fixture = withDeadLetter()) {
            Fiber<RedriveOutcome> redrive = fiber(fixture, openIds(fixture).get(0));
            for (int requests = 0; requests < REQUESTS_MAX; requests++) {
                if (redrive.run(1)) {
                    return requests;
                }
            }
        }
        throw new AssertionError("no end");
    }

    @ParameterizedTest
    @EnumSource(
            value = Fault.class,
            names = {
                "LOST_RESPONSE",
                "LOST_REQUEST",
                "INTERNAL_SERVER_ERROR",
                "THROTTLE",
                "TRANSACTION_CONFLICT",
                "TRANSACTION_IN_PROGRESS"
            })
    void aTransactionThatMeetsAFaultIsAppliedOnce(Fault fault) {
        // Once, so that the SDK's own retry meets it; and so often that the SDK gives up.
        for (int last : List.of(1, 3, 4)) {
            try (ShellFixture fixture = withDeadLetter()) {
                String id = openIds(fixture).get(0);
                fixture.setFaults(FaultInjector.scripted()
                        .inject("DynamoDB.TransactWriteItems", 1, last, fault)
                        .build());

                assertThat(mended(fixture).redrive(id)).isEqualTo(new Redriven(1, 1));

                assertAbsorbedOnce(fixture);
            }
        }
    }

    @Test
    void aReadThatIsThrottledIsRepeated() {
        try (ShellFixture fixture = withDeadLetter()) {
            String id = openIds(fixture).get(0);
            fixture.setFaults(FaultInjector.scripted()
                    .inject("DynamoDB.GetItem", 1, 8, Fault.THROTTLE)
                    .inject("DynamoDB.BatchGetItem", 1, Fault.UNPROCESSED_KEYS)
                    .inject("DynamoDB.Scan", 1, 4, Fault.THROTTLE)
                    .build());

            assertThat(openIds(fixture)).containsExactly(id);
            assertThat(mended(fixture).redrive(id)).isEqualTo(new Redriven(1, 1));
        }
    }

    @Test
    void recordsOfTheSameKeyThatComeBetweenAreKept() {
        int length = requestsBeforeTheWrite();
        for (int requests = 0; requests <= length; requests++) {
            try (ShellFixture fixture = withDeadLetter()) {
                Fiber<RedriveOutcome> redrive = fiber(fixture, openIds(fixture).get(0));
                redrive.run(requests);
                fixture.put(1, event("k", 5));
                fixture.process(1, 0, 1);
                redrive.run(TO_THE_END);

                assertThat(redrive.result()).isEqualTo(new Redriven(1, 1));
                assertThat(seen(fixture, "k")).isEqualTo("1,3,5,1000");
                assertThat(rowSum(fixture, "k")).isEqualTo(1_009);
            }
        }
    }

    @Test
    void anInvocationThatARedriveComesBeforeReadsTheCellAgain() {
        for (int requests = 1; requests < REQUESTS_MAX; requests++) {
            try (ShellFixture fixture = withDeadLetter()) {
                String id = openIds(fixture).get(0);
                fixture.put(1, event("k", 5));
                Fiber<StreamsEventResponse> live = fixture.fiber(1, 0, 1);
                if (live.run(requests)) {
                    return;
                }

                assertThat(mended(fixture).redrive(id)).isEqualTo(new Redriven(1, 1));
                live.run(TO_THE_END);

                assertThat(rowSum(fixture, "k")).isEqualTo(1_009);
                assertThat(cell(fixture, "k").path("redrives").size()).isEqualTo(1);
            }
        }
    }

    @Test
    void aKeyThatIsNeverQuietLeavesTheDeadLetterOpen() {
        try (ShellFixture fixture = withDeadLetter()) {
            String id = openIds(fixture).get(0);
            Fiber<RedriveOutcome> redrive = fiber(fixture, id);
            for (int i = 0; i < 2_000 && !redrive.run(1); i++) {
                String version = "v" + i;
                fixture.dynamoDb()
                        .updateItem(request -> request.tableName("counting-state")
                                .key(Map.of("pk", AttributeValue.fromS("count#k#1")))
                                .updateExpression("SET version = :v")
                                .expressionAttributeValues(Map.of(":v", AttributeValue.fromS(version))));
            }

            assertThat(redrive.result()).isInstanceOf(Refused.class);
            assertThat(String.valueOf(redrive.result())).contains("came first 60 times");
            assertUntouched(fixture);
        }
    }

    @Test
    void deadLettersOfOneKeyAreRedrivenInAnyOrder() {
        for (boolean lastFirst : List.of(true, false)) {
            try (ShellFixture fixture = new ShellFixture(faulty(), 1)) {
                fixture.put(0, event("k", POISON), event("k", 2), event("k", POISON + 1), event("k", 4));
                fixture.process(0, 0, 4);
                List<String> ids = new ArrayList<>(openIds(fixture));
                assertThat(ids).hasSize(2);
                if (lastFirst) {
                    java.util.Collections.reverse(ids);
                }

                for (String id : ids) {
                    assertThat(mended(fixture).redrive(id)).isEqualTo(new Redriven(1, 1));
                }

                assertThat(seen(fixture, "k")).isEqualTo(lastFirst ? "2,4,1001,1000" : "2,4,1000,1001");
                assertThat(cell(fixture, "k").path("redrives").size()).isEqualTo(2);
                fixture.process(0, 0, 4);
                assertThat(rowSum(fixture, "k")).isEqualTo(2_007);
            }
        }
    }

    @Test
    void codeThatThrowsAgainLeavesItOpenWithOneAttemptMoreAndNothingElse() {
        try (ShellFixture fixture = withDeadLetter()) {
            String id = openIds(fixture).get(0);
            String stateBefore = fixture.scan("counting-state").toString();
            Counting stillFaulty = new Counting(
                    value -> {
                        throw new IllegalStateException("another error");
                    },
                    ErrorPolicy.fail());

            RedriveOutcome outcome =
                    fixture.operator(stillFaulty, builder -> builder).redrive(id);

            assertThat(outcome).isEqualTo(new FailedAgain("java.lang.IllegalStateException: another error", 2));
            assertThat(outcome.isLeftOpen()).isTrue();
            assertUntouched(fixture);
            assertThat(fixture.scan("counting-state").toString()).isEqualTo(stateBefore);
            StoredDeadLetter open = mended(fixture).find(id).orElseThrow();
            assertThat(open.attempts()).isEqualTo(2);
            assertThat(open.error()).contains("another error");
            assertThat(open.kind()).isEqualTo(StoredDeadLetter.Kind.FUNCTION_THREW);
            assertThat(open.lastTried()).isNotNull();
            assertThat(mended(fixture).redrive(id)).isEqualTo(new Redriven(1, 1));
            assertAbsorbedOnce(fixture);
        }
    }

    @Test
    void anAttemptWhoseNoteLosesItsAnswerCountsOnce() {
        for (int last : List.of(1, 3, 4)) {
            try (ShellFixture fixture = withDeadLetter()) {
                fixture.setFaults(FaultInjector.scripted()
                        .inject("DynamoDB.UpdateItem", 1, last, Fault.LOST_RESPONSE)
                        .build());

                assertThat(fixture.operator(faulty(), builder -> builder)
                                .redrive(openIds(fixture).get(0)))
                        .isEqualTo(new FailedAgain("java.lang.IllegalStateException: too large: 1000", 2));

                assertThat(letter(fixture).path("attempts").asInt()).isEqualTo(2);
            }
        }
    }

    @Test
    void twoAttemptsThatFailAtTheSameMomentBothCount() {
        try (ShellFixture fixture = withDeadLetter()) {
            String id = openIds(fixture).get(0);
            DeadLetters stillFaulty = fixture.operator(faulty(), builder -> builder);
            Fiber<RedriveOutcome> one = new Fiber<>(() -> stillFaulty.redrive(id));
            one.run(requestsBeforeTheWrite());
            fixture.operator(faulty(), builder -> builder).redrive(id);
            one.run(TO_THE_END);

            assertThat(letter(fixture).path("attempts").asInt()).isEqualTo(3);
            assertThat(one.result()).isInstanceOf(FailedAgain.class);
        }
    }

    @Test
    void aFailureDoesNotOpenWhatAnotherHasRedrivenMeanwhile() {
        try (ShellFixture fixture = withDeadLetter()) {
            String id = openIds(fixture).get(0);
            DeadLetters stillFaulty = fixture.operator(faulty(), builder -> builder);
            Fiber<RedriveOutcome> failing = new Fiber<>(() -> stillFaulty.redrive(id));
            failing.run(requestsBeforeTheWrite());
            mended(fixture).redrive(id);
            failing.run(TO_THE_END);

            assertThat(failing.result()).isEqualTo(new ClosedBefore(State.DONE));
            assertAbsorbedOnce(fixture);
        }
    }

    @Test
    void codeThatGivesTheRecordAnotherKeyIsRefused() {
        try (ShellFixture fixture = withDeadLetter()) {
            Counting other = Counting.harmless().decodedBy(new Lenient("other"));

            RedriveOutcome outcome = fixture.operator(other, builder -> builder)
                    .redrive(openIds(fixture).get(0));

            assertThat(outcome).isInstanceOf(Refused.class);
            assertThat(String.valueOf(outcome)).contains("part of key 'k'").contains("the keys [other]");
            assertUntouched(fixture);
        }
    }

    @Test
    void aDeadLetterOfAnotherGenerationIsUnknown() {
        try (ShellFixture fixture = withDeadLetter()) {
            String id = openIds(fixture).get(0);
            setControl(fixture, "generation", AttributeValue.fromN("2"));

            assertThat(openIds(fixture)).isEmpty();
            assertThat(mended(fixture).find(id)).isEmpty();
            assertThat(String.valueOf(mended(fixture).redrive(id))).contains("current generation, 2");
        }
    }

    @Test
    void aRedriveOfBeforeARestoreCannotOverwriteRowsOfTheNewGeneration() {
        try (ShellFixture fixture = withDeadLetter()) {
            Fiber<RedriveOutcome> zombie = fiber(fixture, openIds(fixture).get(0));
            zombie.run(requestsBeforeTheWrite());
            setControl(fixture, "generation", AttributeValue.fromN("2"));
            fixture.process(0, 0, 3);
            zombie.run(TO_THE_END);

            assertThat(zombie.thrown()).hasMessageContaining("newer generation");
            assertThat(rowSum(fixture, "k")).isEqualTo(4);
        }
    }

    @Test
    void aStoppedPipelineRedrivesNothing() {
        try (ShellFixture fixture = withDeadLetter()) {
            String id = openIds(fixture).get(0);
            setControl(fixture, "stop_reason", AttributeValue.fromS("parallelization factor 4"));

            assertThatThrownBy(() -> mended(fixture).redrive(id))
                    .isInstanceOf(MillraceException.class)
                    .hasMessageContaining("stopped")
                    .hasMessageContaining("parallelization factor 4");
            assertUntouched(fixture);
        }
    }

    private static void setControl(ShellFixture fixture, String attribute, AttributeValue value) {
        fixture.dynamoDb()
                .updateItem(request -> request.tableName("counting-control")
                        .key(Map.of(
                                "pk", AttributeValue.fromS("pipeline#counting"),
                                "sk", AttributeValue.fromS("control")))
                        .updateExpression("SET #a = :v")
                        .expressionAttributeNames(Map.of("#a", attribute))
                        .expressionAttributeValues(Map.of(":v", value)));
    }

    @Test
    void aPipelineThatNeverRanHereIsNamed() {
        try (ShellFixture fixture = new ShellFixture(faulty(), 1)) {
            assertThatThrownBy(() -> mended(fixture).list(DeadLetterFilter.open()))
                    .isInstanceOf(MillraceException.class)
                    .hasMessageContaining("'counting' has never run here")
                    .hasMessageContaining("counting-control");
        }
    }

    @Test
    void aTextThatIsNoIdIsRefusedWithAnExample() {
        try (ShellFixture fixture = withDeadLetter()) {
            for (String text : List.of(
                    "",
                    "x",
                    "count/events/shardId-000000000000/12",
                    "count/events/s/x1/no-key",
                    "count/events/s/1/key")) {
                assertThatThrownBy(() -> mended(fixture).redrive(text))
                        .as(text)
                        .isInstanceOf(MillraceException.class)
                        .hasMessageContaining("'" + text + "' is no id of a dead letter; one such as");
            }
            assertThat(mended(fixture).redrive("count/events/shardId-000000000000/12/no-key"))
                    .isInstanceOf(Refused.class);
            assertThat(mended(fixture).redrive("counts/events/shardId-000000000000/12/no-key"))
                    .isInstanceOf(Refused.class)
                    .hasToString("Refused[reason=The pipeline has no stage 'counts', only [count]. Take the code that"
                            + " has it, or drop the dead letter.]");
        }
    }
}
