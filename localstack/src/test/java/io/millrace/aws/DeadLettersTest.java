package io.millrace.aws;

import static io.millrace.aws.Counting.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.ErrorPolicy;
import io.millrace.MillraceException;
import io.millrace.PipelineDefinition;
import io.millrace.aws.RedriveOutcome.ClosedBefore;
import io.millrace.aws.RedriveOutcome.FailedAgain;
import io.millrace.aws.RedriveOutcome.Redriven;
import io.millrace.aws.RedriveOutcome.Refused;
import io.millrace.aws.StoredDeadLetter.Kind;
import io.millrace.aws.StoredDeadLetter.State;
import io.millrace.local.Fault;
import io.millrace.local.FaultInjector;
import io.millrace.local.InvocationOutcome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Dead letters that name no key, payloads in parts, gaps, lists and drops. */
class DeadLettersTest {
    private static final String TABLE = "counting-dead-letters";
    private static final int REQUESTS_MAX = 40;
    private static final int TO_THE_END = 10_000;

    /** Mended code, for which any record is an event of keys a and b. */
    private static Counting decodingForTwoKeys() {
        return Counting.harmless().decodedBy(new Lenient("a", "b"));
    }

    private static DeadLetters operator(ShellFixture fixture, PipelineDefinition code) {
        return fixture.operator(code, builder -> builder);
    }

    private static DeadLetters mended(ShellFixture fixture) {
        return operator(fixture, decodingForTwoKeys());
    }

    /** A fixture with one record for a, one that cannot be decoded, one for b. */
    private static ShellFixture withUndecodable() {
        ShellFixture fixture = new ShellFixture(Counting.harmless(), 2);
        fixture.put(0, event("a", 1), "no json", event("b", 2));
        fixture.process(0, 0, 3);
        return fixture;
    }

    private static List<StoredDeadLetter> listed(DeadLetters deadLetters, DeadLetterFilter filter) {
        return StreamSupport.stream(deadLetters.list(filter).spliterator(), false)
                .toList();
    }

    private static String onlyId(ShellFixture fixture) {
        List<StoredDeadLetter> all = listed(mended(fixture), DeadLetterFilter.all());
        assertThat(all).hasSize(1);
        return all.get(0).id();
    }

    private static long sum(ShellFixture fixture, String key) {
        ObjectNode row = fixture.scanBy("key", Counting.TABLE).get(key);
        return row == null ? 0 : row.path("sum").asLong();
    }

    private static String status(ShellFixture fixture) {
        assertThat(fixture.deadLetters()).hasSize(1);
        return fixture.deadLetters().get(0).path("status").asText();
    }

    private static void assertBothAbsorbedOnce(ShellFixture fixture) {
        assertThat(List.of(sum(fixture, "a"), sum(fixture, "b"))).containsExactly(1L + 7, 2L + 7);
        assertThat(status(fixture)).isEqualTo("done");
    }

    @Test
    void allPartsOfARecordThatCanBeDecodedNowAreAbsorbedTogether() {
        try (ShellFixture fixture = withUndecodable()) {
            String id = onlyId(fixture);

            assertThat(mended(fixture).redrive(id)).isEqualTo(new Redriven(2, 2));

            assertBothAbsorbedOnce(fixture);
            assertThat(mended(fixture).redrive(id)).isEqualTo(new ClosedBefore(State.DONE));
            assertBothAbsorbedOnce(fixture);
            for (String key : List.of("a", "b")) {
                ObjectNode cell = Objects.requireNonNull(
                        fixture.scanBy("key", "counting-state").get(key));
                assertThat(cell.path("redrives").fieldNames().next()).endsWith("*");
            }
        }
    }

    @Test
    void twoPartsAreAbsorbedOnceOrNotAtAllWhereverTheRedriveDiesOrOthersComeBetween() {
        boolean ended = false;
        for (int requests = 0; !ended; requests++) {
            assertThat(requests).isLessThan(REQUESTS_MAX);
            try (ShellFixture fixture = withUndecodable()) {
                String id = onlyId(fixture);
                DeadLetters first = mended(fixture);
                Fiber<RedriveOutcome> dying = new Fiber<>(() -> first.redrive(id));
                ended = dying.run(requests);
                if (!ended) {
                    fixture.put(1, event("b", 100));
                    fixture.process(1, 0, 1);
                    assertThat(sum(fixture, "a") - 1).isEqualTo(sum(fixture, "b") - 102);
                    dying.run(requests / 2);
                    dying.kill();
                }

                mended(fixture).redrive(id);

                assertThat(List.of(sum(fixture, "a"), sum(fixture, "b") - (ended ? 0 : 100)))
                        .containsExactly(8L, 9L);
                assertThat(status(fixture)).isEqualTo("done");
            }
        }
    }

    @Test
    void twoRedrivesOfTwoPartsAtTheSameMomentAbsorbThemOnce() {
        for (int requests = 1; requests <= 7; requests++) {
            try (ShellFixture fixture = withUndecodable()) {
                String id = onlyId(fixture);
                DeadLetters first = mended(fixture);
                Fiber<RedriveOutcome> one = new Fiber<>(() -> first.redrive(id));
                one.run(requests);
                mended(fixture).redrive(id);
                one.run(TO_THE_END);

                assertBothAbsorbedOnce(fixture);
            }
        }
    }

    @Test
    void codeThatStillCannotDecodeItLeavesItOpen() {
        try (ShellFixture fixture = withUndecodable()) {
            String id = onlyId(fixture);

            RedriveOutcome outcome = operator(fixture, Counting.harmless()).redrive(id);

            assertThat(outcome).isInstanceOf(FailedAgain.class);
            StoredDeadLetter open = mended(fixture).find(id).orElseThrow();
            assertThat(open.state()).isEqualTo(State.OPEN);
            assertThat(open.kind()).isEqualTo(Kind.UNDECODABLE);
            assertThat(open.attempts()).isEqualTo(2);
        }
    }

    @Test
    void codeThatFailsAtOnePartAbsorbsNone() {
        try (ShellFixture fixture = withUndecodable()) {
            int[] parts = {0};
            Counting failing = new Counting(
                            value -> {
                                if (++parts[0] == 2) {
                                    throw new IllegalStateException("the second part");
                                }
                            },
                            ErrorPolicy.fail())
                    .decodedBy(new Lenient("a", "b"));

            assertThat(operator(fixture, failing).redrive(onlyId(fixture))).isInstanceOf(FailedAgain.class);

            assertThat(List.of(sum(fixture, "a"), sum(fixture, "b"))).containsExactly(1L, 2L);
            assertThat(status(fixture)).isEqualTo("open");
        }
    }

    @Test
    void aRecordThatMendedCodeDropsIsDoneWithoutEffect() {
        try (ShellFixture fixture = withUndecodable()) {
            Counting dropping = Counting.harmless().decodedBy(new Lenient());

            assertThat(operator(fixture, dropping).redrive(onlyId(fixture))).isEqualTo(new Redriven(0, 0));

            assertThat(status(fixture)).isEqualTo("done");
            assertThat(List.of(sum(fixture, "a"), sum(fixture, "b"))).containsExactly(1L, 2L);
        }
    }

    @Test
    void partsThatOneTransactionCannotTakeAreRefusedWithTheirSize() {
        try (ShellFixture fixture = withUndecodable()) {
            String[] keys = IntStream.range(0, 50).mapToObj(i -> "k" + i).toArray(String[]::new);
            Counting many = Counting.harmless().decodedBy(new Lenient(keys));

            RedriveOutcome outcome = operator(fixture, many).redrive(onlyId(fixture));

            assertThat(String.valueOf(outcome)).contains("101 writes of", "the cells of 50 keys", "takes 100 writes");
            assertThat(sum(fixture, "k0")).isZero();
            assertThat(status(fixture)).isEqualTo("open");
        }
    }

    @Test
    void aZombieThatPutsADeadLetterAgainDoesNotOpenIt() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, "no json");
            int requests = requestsBeforeTheDeadLetter();
            Fiber<StreamsEventResponse> zombie = fixture.fiber(0, 0, 1);
            zombie.run(requests);
            assertThat(fixture.deadLetters()).isEmpty();
            fixture.process(0, 0, 1);
            mended(fixture).redrive(onlyId(fixture));

            zombie.run(TO_THE_END);

            assertThat(status(fixture)).isEqualTo("done");
            assertThat(mended(fixture).redrive(onlyId(fixture))).isEqualTo(new ClosedBefore(State.DONE));
            assertThat(sum(fixture, "a")).isEqualTo(7);
        }
    }

    private static int requestsBeforeTheDeadLetter() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, "no json");
            Fiber<StreamsEventResponse> invocation = fixture.fiber(0, 0, 1);
            for (int requests = 0; requests < REQUESTS_MAX; requests++) {
                invocation.run(1);
                if (!fixture.deadLetters().isEmpty()) {
                    return requests;
                }
            }
            throw new AssertionError("no dead letter");
        }
    }

    /** A pipeline whose record kills the process before its keys are known, until it is given up. */
    private static ShellFixture withKilled(Mishaps mishaps) {
        ShellFixture fixture = new ShellFixture(mishaps, 1);
        fixture.put(0, "{\"id\":\"e\",\"keys\":[\"a\",\"b\"],\"kind\":\"KILLS_BEFORE_ITS_KEY\"}");
        for (int delivery = 0; fixture.deadLetters().isEmpty(); delivery++) {
            assertThat(delivery).isLessThan(REQUESTS_MAX);
            InvocationOutcome ignored = fixture.invoke(0, 0, 1);
            assertThat(ignored).isNotNull();
        }
        fixture.process(0, 0, 1);
        mishaps.mend();
        return fixture;
    }

    @Test
    void whatMayBePartlyAbsorbedIsRedrivenOnlyIfTheOperatorSaysSo() {
        Mishaps mishaps = new Mishaps(ErrorPolicy.retryThenDeadLetter(3), ErrorPolicy.deadLetter());
        try (ShellFixture fixture = withKilled(mishaps)) {
            DeadLetters deadLetters = operator(fixture, mishaps);
            StoredDeadLetter letter =
                    listed(deadLetters, DeadLetterFilter.open()).get(0);
            assertThat(letter.kind()).isEqualTo(Kind.PROCESS_KILLED);
            assertThat(letter.key()).isNull();

            RedriveOutcome refused = deadLetters.redrive(letter.id());

            assertThat(refused).isInstanceOf(Refused.class);
            assertThat(refused.isLeftOpen()).isTrue();
            assertThat(String.valueOf(refused)).contains("nothing tells which", "--even-if-partly-absorbed");
            assertThat(fixture.scan(Mishaps.TABLE)).isEmpty();
            assertThat(deadLetters.redriveEvenIfPartlyAbsorbed(letter.id())).isEqualTo(new Redriven(2, 4));
            assertThat(fixture.scan(Mishaps.TABLE)).hasSize(4);
        }
    }

    @Test
    void partsThatAreDeadLettersOfTheirOwnAreLeftToThese() {
        Mishaps mishaps = new Mishaps(ErrorPolicy.retryThenDeadLetter(3), ErrorPolicy.deadLetter());
        try (ShellFixture fixture = withKilled(mishaps)) {
            DeadLetters deadLetters = operator(fixture, mishaps);
            String id = listed(deadLetters, DeadLetterFilter.open()).get(0).id();
            String keyed = id.replace("/no-key", "/0123456789abcdef");
            copyForKey(fixture, "b");

            assertThat(deadLetters.redriveEvenIfPartlyAbsorbed(id)).isEqualTo(new Redriven(1, 2));
            assertThat(deadLetters.redrive(keyed)).isEqualTo(new Redriven(1, 2));

            assertThat(fixture.scan(Mishaps.TABLE).stream()
                            .map(row ->
                                    row.path("key").asText() + row.path("count").asInt()))
                    .containsExactlyInAnyOrder("a1", "a1", "b1", "b1");
        }
    }

    private static void copyForKey(ShellFixture fixture, String key) {
        Map<String, AttributeValue> item = new HashMap<>(fixture.dynamoDb()
                .scan(request -> request.tableName("mishaps-dead-letters"))
                .items()
                .get(0));
        item.put("key", AttributeValue.fromS(key));
        item.computeIfPresent("sk", (name, sk) -> AttributeValue.fromS(sk.s().replace("#no-key", "#0123456789abcdef")));
        fixture.dynamoDb()
                .putItem(request -> request.tableName("mishaps-dead-letters").item(item));
    }

    @Test
    void aPayloadInPartsIsRedrivenWholeAndItsPartsExpireWithTheRow() {
        byte[] large = new byte[900_000];
        new Random(1).nextBytes(large);
        boolean ended = false;
        for (int requests = 6; !ended; requests++) {
            assertThat(requests).isLessThan(REQUESTS_MAX);
            try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
                fixture.putBytes(0, large);
                fixture.process(0, 0, 1);
                String id = onlyId(fixture);
                assertThat(mended(fixture).payload(id)).isEqualTo(large);
                DeadLetters first = mended(fixture);
                Fiber<RedriveOutcome> dying = new Fiber<>(() -> first.redrive(id));
                ended = dying.run(requests);
                if (!ended) {
                    dying.kill();
                }

                mended(fixture).redrive(id);

                assertThat(List.of(sum(fixture, "a"), sum(fixture, "b"))).containsExactly(900_000L, 900_000L);
                List<ObjectNode> items = fixture.scan(TABLE);
                long expiry = fixture.deadLetters().get(0).path("ttl").asLong();
                assertThat(items)
                        .hasSize(4)
                        .allSatisfy(
                                item -> assertThat(item.path("ttl").asLong()).isEqualTo(expiry));
            }
        }
    }

    @Test
    void aMissingPartOfAPayloadIsNamed() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.putBytes(0, new byte[700_000]);
            fixture.process(0, 0, 1);
            String id = onlyId(fixture);
            ObjectNode part = fixture.scan(TABLE).stream()
                    .filter(item -> item.path("sk").asText().endsWith("#part0001"))
                    .findFirst()
                    .orElseThrow();
            fixture.dynamoDb()
                    .deleteItem(request -> request.tableName(TABLE)
                            .key(Map.of(
                                    "pk",
                                    AttributeValue.fromS(part.path("pk").asText()),
                                    "sk",
                                    AttributeValue.fromS(part.path("sk").asText()))));

            assertThatThrownBy(() -> mended(fixture).redrive(id))
                    .isInstanceOf(MillraceException.class)
                    .hasMessageContaining("Part 1 of 3");
            assertThat(status(fixture)).isEqualTo("open");
        }
    }

    @Test
    void aGapCanBeDroppedAndNotRedriven() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            fixture.put(0, event("k", 1), event("k", 2), event("k", 3));
            fixture.process(0, 0, 1);
            String error = ShellFixture.errorOf(fixture.invoke(0, 2, 3));
            fixture.acceptGap(error.replaceAll("(?s).*MILLRACE_ACCEPT_GAP=([^,]+),.*", "$1"));
            fixture.process(0, 2, 3);
            String id = onlyId(fixture);
            StoredDeadLetter gap = mended(fixture).find(id).orElseThrow();
            assertThat(gap.kind()).isEqualTo(Kind.GAP);
            assertThat(gap.attempts()).isZero();
            assertThat(gap.gapAfter()).isEqualTo(fixture.sequenceNumber(0, 0));
            assertThat(gap.position()).isEqualTo(fixture.sequenceNumber(0, 2));
            assertThat(mended(fixture).payload(id)).isEmpty();

            RedriveOutcome outcome = mended(fixture).redrive(id);

            assertThat(outcome).isInstanceOf(Refused.class);
            assertThat(String.valueOf(outcome)).contains("never delivered");
            assertThat(status(fixture)).isEqualTo("open");
            assertThat(mended(fixture).drop(id)).isEqualTo(DropOutcome.DROPPED);
            assertThat(status(fixture)).isEqualTo("dropped");
        }
    }

    @Test
    void aDroppedOneIsKeptForAWhileAndNeverRedriven() {
        try (ShellFixture fixture = withUndecodable()) {
            String id = onlyId(fixture);

            assertThat(mended(fixture).drop(id)).isEqualTo(DropOutcome.DROPPED);

            assertThat(mended(fixture).redrive(id)).isEqualTo(new ClosedBefore(State.DROPPED));
            assertThat(mended(fixture).drop(id)).isEqualTo(DropOutcome.DROPPED_BEFORE);
            assertThat(sum(fixture, "a")).isEqualTo(1);
            ObjectNode letter = fixture.deadLetters().get(0);
            assertThat(letter.path("status").asText()).isEqualTo("dropped");
            assertThat(letter.has("ttl")).isTrue();
            assertThat(new String(mended(fixture).payload(id), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo("no json");
        }
    }

    @Test
    void aRedrivenOneCannotBeDroppedAnyMore() {
        try (ShellFixture fixture = withUndecodable()) {
            String id = onlyId(fixture);
            mended(fixture).redrive(id);

            assertThat(mended(fixture).drop(id)).isEqualTo(DropOutcome.REDRIVEN_BEFORE);
            assertThat(mended(fixture).drop(id.replace("no-key", "gap"))).isEqualTo(DropOutcome.UNKNOWN);
            assertBothAbsorbedOnce(fixture);
        }
    }

    @Test
    void aRedriveAndADropAtTheSameMomentEndInOneOfThem() {
        for (int requests = 1; requests <= 8; requests++) {
            try (ShellFixture fixture = withUndecodable()) {
                String id = onlyId(fixture);
                DeadLetters first = mended(fixture);
                Fiber<RedriveOutcome> redrive = new Fiber<>(() -> first.redrive(id));
                redrive.run(requests);
                DropOutcome dropped = mended(fixture).drop(id);
                redrive.run(TO_THE_END);

                boolean won = dropped == DropOutcome.DROPPED;
                assertThat(redrive.result()).isEqualTo(won ? new ClosedBefore(State.DROPPED) : new Redriven(2, 2));
                assertThat(sum(fixture, "a")).isEqualTo(won ? 1 : 8);
                assertThat(status(fixture)).isEqualTo(won ? "dropped" : "done");
            }
        }
    }

    @Test
    void aDropWhoseAnswerIsLostIsADrop() {
        for (int last : List.of(1, 3, 4)) {
            try (ShellFixture fixture = withUndecodable()) {
                String id = onlyId(fixture);
                fixture.setFaults(FaultInjector.scripted()
                        .inject("DynamoDB.UpdateItem", 1, last, Fault.LOST_RESPONSE)
                        .build());

                assertThat(mended(fixture).drop(id)).isEqualTo(DropOutcome.DROPPED);
                assertThat(status(fixture)).isEqualTo("dropped");
            }
        }
    }

    @Test
    void aDeadLetterOfAStreamThatIsGoneCanBeDropped() {
        try (ShellFixture fixture = withUndecodable()) {
            String id = onlyId(fixture);
            fixture.kinesis().deleteStream(request -> request.streamName(Counting.STREAM));

            assertThat(mended(fixture).drop(id)).isEqualTo(DropOutcome.DROPPED);
        }
    }

    @Test
    void aListOfManyPagesIsReadPageByPageInTheOrderOfTheLane() {
        try (ShellFixture fixture = new ShellFixture(Counting.harmless(), 1)) {
            byte[] payload = new byte[250_000];
            for (int i = 0; i < 9; i++) {
                fixture.putBytes(0, payload);
            }
            fixture.process(0, 0, 9);

            List<StoredDeadLetter> found = listed(mended(fixture), DeadLetterFilter.open());

            assertThat(found)
                    .extracting(StoredDeadLetter::position)
                    .containsExactlyElementsOf(IntStream.range(0, 9)
                            .mapToObj(i -> fixture.sequenceNumber(0, i))
                            .toList());
        }
    }

    @Test
    void aFilterIsByStageKindAndState() {
        Counting faulty = new Counting(
                value -> {
                    throw new IllegalStateException("no value is good");
                },
                ErrorPolicy.deadLetter());
        try (ShellFixture fixture = new ShellFixture(faulty, 1)) {
            fixture.put(0, "no json", event("k", 1), "nor this", event("k", 2));
            fixture.process(0, 0, 4);
            DeadLetters deadLetters = mended(fixture);
            List<StoredDeadLetter> all = listed(deadLetters, DeadLetterFilter.open());
            assertThat(all)
                    .extracting(StoredDeadLetter::kind)
                    .containsExactly(Kind.UNDECODABLE, Kind.FUNCTION_THREW, Kind.UNDECODABLE, Kind.FUNCTION_THREW);
            deadLetters.drop(all.get(0).id());

            assertThat(listed(deadLetters, DeadLetterFilter.open().kind(Kind.UNDECODABLE)))
                    .extracting(StoredDeadLetter::id)
                    .containsExactly(all.get(2).id());
            assertThat(listed(deadLetters, DeadLetterFilter.all())).hasSize(4);
            assertThat(listed(deadLetters, DeadLetterFilter.all().state(State.DROPPED)))
                    .hasSize(1);
            assertThat(listed(deadLetters, DeadLetterFilter.all().stage("count")))
                    .hasSize(4);
            assertThat(listed(deadLetters, DeadLetterFilter.all().stage("other")))
                    .isEmpty();
            StoredDeadLetter threw = all.get(1);
            assertThat(threw.key()).isEqualTo("k");
            assertThat(threw.stage()).isEqualTo("count");
            assertThat(threw.lane()).isEqualTo("events/shardId-000000000000");
            assertThat(threw.arrival()).isNotNull();
            assertThat(threw.closed()).isNull();
            assertThat(threw.error()).contains("no value is good");
        }
    }
}
