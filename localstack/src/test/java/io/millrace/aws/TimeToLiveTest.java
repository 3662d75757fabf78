package io.millrace.aws;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.AggregateFunction;
import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.aws.BatchReport.Count;
import io.millrace.local.ManualClock;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import io.millrace.state.AggregatingState;
import io.millrace.state.AggregatingStateDescriptor;
import io.millrace.state.ListState;
import io.millrace.state.ListStateDescriptor;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.state.ReducingState;
import io.millrace.state.ReducingStateDescriptor;
import io.millrace.state.StateDescriptor;
import io.millrace.state.StateTtlConfig;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** State that expires, and repetitions that are dropped, over the embedded AWS. The stream keeps its records for a day. */
class TimeToLiveTest {
    private static final Duration TIME_TO_LIVE = Duration.ofMinutes(10);
    private static final Duration RETENTION = Duration.ofDays(1);
    private static final Duration MARGIN = Duration.ofDays(1);
    private static final Instant START = Instant.parse("2026-01-31T12:00:00.250Z");

    private final ManualClock clock = new ManualClock(START);

    /** A visit. The user "steady" is one whose visits are also counted in a state that never expires. */
    record Visit(String user, String page) {}

    /** What all kinds of state have to say of a user. */
    record VisitRow(
            @PartitionKey String user,
            @SortKey String id,
            int visits,
            int pages,
            int listed,
            long sum,
            String aggregated) {}

    /** Counts visits in each kind of state. */
    private static final class Visits implements PipelineDefinition {
        @Override
        public String name() {
            return "visits";
        }

        @Override
        public void define(PipelineBuilder pipeline) {
            pipeline.fromKinesis("visits", Json.of(Visit.class))
                    .keyBy(Visit::user)
                    .process(new CountVisits())
                    .uid("count")
                    .sinkTo(DynamoDbSink.rows("visit-rows", VisitRow.class));
        }
    }

    private static final class CountVisits extends KeyedProcessFunction<String, Visit, VisitRow> {
        @SuppressWarnings("NullAway.Init")
        private ValueState<Integer> visits;

        @SuppressWarnings("NullAway.Init")
        private ValueState<Integer> steady;

        @SuppressWarnings("NullAway.Init")
        private MapState<String, Integer> pages;

        @SuppressWarnings("NullAway.Init")
        private ListState<String> listed;

        @SuppressWarnings("NullAway.Init")
        private ReducingState<Long> sum;

        @SuppressWarnings("NullAway.Init")
        private AggregatingState<String, String> aggregated;

        @Override
        public void open(OpenContext openContext) {
            visits = getRuntimeContext().getState(expiring(new ValueStateDescriptor<>("visits", Integer.class)));
            steady = getRuntimeContext().getState(new ValueStateDescriptor<>("steady", Integer.class));
            pages = getRuntimeContext()
                    .getMapState(expiring(new MapStateDescriptor<>("pages", String.class, Integer.class)));
            listed = getRuntimeContext().getListState(expiring(new ListStateDescriptor<>("listed", String.class)));
            sum = getRuntimeContext()
                    .getReducingState(expiring(new ReducingStateDescriptor<>("sum", Long::sum, Long.class)));
            aggregated = getRuntimeContext()
                    .getAggregatingState(
                            expiring(new AggregatingStateDescriptor<>("aggregated", new Joined(), String.class)));
        }

        private static <D extends StateDescriptor> D expiring(D descriptor) {
            descriptor.enableTimeToLive(StateTtlConfig.newBuilder(TIME_TO_LIVE).build());
            return descriptor;
        }

        @Override
        public void processElement(Visit visit, Context ctx, Collector<VisitRow> out) throws Exception {
            Integer before = visits.value();
            visits.update(before == null ? 1 : before + 1);
            if (visit.user().equals("steady")) {
                steady.update(1);
            }
            pages.put(visit.page(), 1);
            listed.add(visit.page());
            sum.add(1L);
            aggregated.add(visit.page());
            out.collect(new VisitRow(
                    visit.user(),
                    "latest",
                    Objects.requireNonNull(visits.value()),
                    size(pages.keys()),
                    size(listed.get()),
                    Objects.requireNonNull(sum.get()),
                    Objects.requireNonNull(aggregated.get())));
        }

        private static int size(Iterable<?> elements) {
            return (int) StreamSupport.stream(elements.spliterator(), false).count();
        }
    }

    private static final class Joined implements AggregateFunction<String, String, String> {
        @Override
        public String createAccumulator() {
            return "";
        }

        @Override
        public String add(String value, String accumulator) {
            return accumulator + value + ";";
        }

        @Override
        public String getResult(String accumulator) {
            return accumulator;
        }

        @Override
        public String merge(String a, String b) {
            return a + b;
        }
    }

    private static String visit(String user, String page) {
        return "{\"user\":\"" + user + "\",\"page\":\"" + page + "\"}";
    }

    private ShellFixture visits() {
        return new ShellFixture(new Visits(), 1, clock);
    }

    private static void assertRow(ShellFixture fixture, int visits, int pages, String aggregated) {
        ObjectNode row = fixture.scan("visit-rows").get(0);
        assertThat(row.path("visits").asInt()).isEqualTo(visits);
        assertThat(row.path("pages").asInt()).isEqualTo(pages);
        assertThat(row.path("listed").asInt()).isEqualTo(visits);
        assertThat(row.path("sum").asInt()).isEqualTo(visits);
        assertThat(row.path("aggregated").asText()).isEqualTo(aggregated);
    }

    private static ObjectNode cell(ShellFixture fixture, String key) {
        return Objects.requireNonNull(fixture.cells().get(key), "no cell of " + key);
    }

    /** The seconds that a time to live has when its cell expires at a time. */
    private static long timeToLiveFrom(Instant expiry) {
        return expiry.plus(RETENTION).plus(MARGIN).getEpochSecond();
    }

    @Test
    void allKindsOfStateExpireToTheMillisecondByTheFunctionsClock() {
        try (ShellFixture fixture = visits()) {
            fixture.put(0, visit("u", ""), visit("u", "a"));
            fixture.process(0, 0, 2);
            assertRow(fixture, 2, 2, ";a;");

            clock.advance(TIME_TO_LIVE.minusMillis(1));
            fixture.put(0, visit("u", "a"));
            fixture.process(0, 2, 3);
            assertRow(fixture, 3, 2, ";a;a;");

            clock.advance(TIME_TO_LIVE);
            fixture.put(0, visit("u", ""));
            fixture.process(0, 3, 4);
            assertRow(fixture, 1, 1, ";");
        }
    }

    @Test
    void aCellWhoseStateAllExpiresGetsATombstonesTimeToLiveFromThenOn() {
        try (ShellFixture fixture = visits()) {
            fixture.put(0, visit("u", "a"), visit("steady", "a"));
            fixture.process(0, 0, 2);

            assertThat(cell(fixture, "u").path("ttl").asLong()).isEqualTo(timeToLiveFrom(START.plus(TIME_TO_LIVE)));
            assertThat(cell(fixture, "steady").has("ttl"))
                    .as("a cell with state that never expires")
                    .isFalse();

            clock.moveTo(Instant.ofEpochSecond(timeToLiveFrom(START.plus(TIME_TO_LIVE))));
            fixture.deleteExpiredItems();
            assertThat(fixture.cells()).containsKey("u");
            clock.advance(Duration.ofSeconds(1));
            fixture.deleteExpiredItems();
            assertThat(fixture.cells()).containsOnlyKeys("steady");
        }
    }

    @Test
    void longerRetentionKeepsTheCellsOfExpiredStateForLonger() {
        try (ShellFixture fixture = visits()) {
            fixture.kinesis()
                    .increaseStreamRetentionPeriod(
                            request -> request.streamName("visits").retentionPeriodHours(168));
            fixture.put(0, visit("u", "a"));
            fixture.process(0, 0, 1);

            assertThat(cell(fixture, "u").path("ttl").asLong())
                    .isEqualTo(START.plus(TIME_TO_LIVE)
                            .plus(Duration.ofDays(7))
                            .plus(MARGIN)
                            .getEpochSecond());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void stateThatExpiredSinceACrashIsNotMadeTwiceByTheRedelivery(int request) {
        try (ShellFixture fixture = visits()) {
            fixture.put(0, visit("u", "a"), visit("v", "b"), visit("u", "c"));
            fixture.invokeDyingAt(request, 0, 0, 3);
            Map<String, ObjectNode> committed = fixture.cells();

            clock.advance(RETENTION.minusSeconds(1));
            fixture.deleteExpiredItems();
            assertThat(fixture.cells()).isEqualTo(committed);
            fixture.process(0, 0, 3);

            assertThat(fixture.cells()).containsOnlyKeys("u", "v").containsAllEntriesOf(committed);
            assertThat(fixture.scan("visit-rows")).hasSize(2);
            assertThat(fixture.scanBy("user", "visit-rows").values())
                    .allSatisfy(row -> assertThat(row.path("visits").asInt())
                            .isEqualTo(row.path("user").asText().equals("u") ? 2 : 1));
        }
    }

    /** Passes each payment on, unless it was seen. */
    private static final class Payments implements PipelineDefinition {
        @Override
        public String name() {
            return "payments";
        }

        @Override
        public void define(PipelineBuilder pipeline) {
            pipeline.fromKinesis("payments", Json.of(Payment.class))
                    .keyBy(Payment::account)
                    .deduplicate(Payment::id, Duration.ofHours(1))
                    .reduce((balance, payment) ->
                            new Payment(payment.account(), payment.id(), balance.amount() + payment.amount()))
                    .uid("balance")
                    .sinkTo(DynamoDbSink.rows("balances", Payment.class));
        }
    }

    record Payment(@PartitionKey String account, String id, long amount) {}

    private static String payment(String id, long amount) {
        return new String(
                Json.of(Payment.class).serialize(new Payment("acc", id, amount)),
                java.nio.charset.StandardCharsets.UTF_8);
    }

    private static void assertBalance(ShellFixture fixture, long balance) {
        assertThat(fixture.scan("balances").get(0).path("amount").asLong()).isEqualTo(balance);
    }

    @Test
    void repetitionsAreDroppedAndCountedHoweverLateTheyAreProcessed() {
        try (ShellFixture fixture = new ShellFixture(new Payments(), 2, clock)) {
            fixture.put(0, payment("p1", 10), payment("p1", 10), payment("p2", 5));
            fixture.process(0, 0, 3);
            assertBalance(fixture, 15);
            assertThat(fixture.lastReport().get(Count.REPETITIONS)).isEqualTo(1);

            clock.advance(Duration.ofMinutes(59));
            fixture.put(1, payment("p1", 10));
            clock.advance(Duration.ofHours(20));
            fixture.process(1, 0, 1);
            assertBalance(fixture, 15);
            assertThat(fixture.lastReport().get(Count.REPETITIONS)).isEqualTo(1);
            fixture.process(1, 0, 1);
            assertThat(fixture.lastReport().get(Count.REPETITIONS))
                    .as("a redelivery is a duplicate, not a repetition")
                    .isZero();

            fixture.put(1, payment("p1", 10));
            fixture.process(1, 1, 2);
            assertBalance(fixture, 25);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void repetitionsAreDroppedWhereverAnInvocationDies(int request) {
        try (ShellFixture fixture = new ShellFixture(new Payments(), 1, clock)) {
            fixture.put(0, payment("p1", 10), payment("p2", 5), payment("p1", 10), payment("", 1), payment("", 1));
            fixture.invokeDyingAt(request, 0, 0, 3);
            fixture.process(0, 0, 2);
            fixture.process(0, 0, 5);

            assertBalance(fixture, 16);
            assertThat(cell(fixture, "acc").path("state").path("_ids").fieldNames())
                    .toIterable()
                    .containsExactly("%", "p1", "p2");
        }
    }

    /** Keeps nothing but ids. */
    private static final class Once implements PipelineDefinition {
        @Override
        public String name() {
            return "once";
        }

        @Override
        public void define(PipelineBuilder pipeline) {
            pipeline.fromKinesis("payments", Json.of(Payment.class))
                    .keyBy(Payment::account)
                    .deduplicate(Payment::id, Duration.ofHours(1))
                    .process(new KeyedProcessFunction<String, Payment, Payment>() {
                        @Override
                        public void processElement(Payment payment, Context ctx, Collector<Payment> out) {
                            out.collect(payment);
                        }
                    })
                    .uid("once")
                    .sinkTo(DynamoDbSink.rows("balances", Payment.class));
        }
    }

    @Test
    void aCellOfIdsLivesUntilNoneOfTheirRepetitionsCanBeDeliveredAnyMore() {
        try (ShellFixture fixture = new ShellFixture(new Once(), 1, clock)) {
            fixture.put(0, payment("p1", 10));
            clock.advance(Duration.ofMinutes(59));
            fixture.put(0, payment("p1", 10));
            clock.advance(Duration.ofMinutes(10));
            fixture.process(0, 0, 1);
            assertThat(cell(fixture, "acc").path("ttl").asLong())
                    .as("from the write on, since the id counts no longer by then")
                    .isEqualTo(timeToLiveFrom(clock.instant()));

            clock.advance(RETENTION.minusHours(2));
            fixture.deleteExpiredItems();
            fixture.process(0, 1, 2);
            assertThat(fixture.lastReport().get(Count.REPETITIONS)).isEqualTo(1);
        }
    }
}
