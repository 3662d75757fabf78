package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.RuntimeContext;
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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** State that expires. Times are in milliseconds; the time to live is 100. */
class TimeToLiveTest {
    private static final StateTtlConfig ON_WRITE =
            StateTtlConfig.newBuilder(Duration.ofMillis(100)).build();
    private static final StateTtlConfig ON_READ = StateTtlConfig.newBuilder(Duration.ofMillis(100))
            .updateTtlOnReadAndWrite()
            .build();
    private static final StateTtlConfig SHOWN = StateTtlConfig.newBuilder(Duration.ofMillis(100))
            .returnExpiredIfNotCleanedUp()
            .build();

    private static <D extends StateDescriptor> D with(@Nullable StateTtlConfig config, D descriptor) {
        if (config != null) {
            descriptor.enableTimeToLive(config);
        }
        return descriptor;
    }

    private static Function<RuntimeContext, ValueState<String>> value(@Nullable StateTtlConfig config) {
        return context -> context.getState(with(config, new ValueStateDescriptor<>("state", String.class)));
    }

    private static Function<RuntimeContext, MapState<String, String>> map(@Nullable StateTtlConfig config) {
        return context ->
                context.getMapState(with(config, new MapStateDescriptor<>("state", String.class, String.class)));
    }

    private static Function<RuntimeContext, ListState<String>> list(@Nullable StateTtlConfig config) {
        return context -> context.getListState(with(config, new ListStateDescriptor<>("state", String.class)));
    }

    private static Function<RuntimeContext, ReducingState<Long>> sum(@Nullable StateTtlConfig config) {
        return context -> context.getReducingState(
                with(config, new ReducingStateDescriptor<>("state", (a, b) -> a + b, Long.class)));
    }

    private static Function<RuntimeContext, AggregatingState<Integer, String>> mean(@Nullable StateTtlConfig config) {
        return context -> context.getAggregatingState(with(
                config,
                new AggregatingStateDescriptor<>(
                        "state", new AggregatingStateTest.Mean(), AggregatingStateTest.Mean.Tally.class)));
    }

    @Test
    void valueIsThereToTheLastMillisecond() {
        StateProbe<ValueState<String>> probe = new StateProbe<>(value(ON_WRITE));
        probe.at(1_000).process(state -> state.update("a"));
        assertThat(probe.item("state")).isEqualTo("[\"\\\"a\\\"\",1000]");
        assertThat(probe.expiryMillis()).isEqualTo(1_100);

        probe.at(1_099).process(state -> assertThat(state.value()).isEqualTo("a"));
        assertThat(probe.item("state")).as("a read is no write").isEqualTo("[\"\\\"a\\\"\",1000]");

        probe.at(1_100).process(state -> assertThat(state.value()).isNull());
        assertThat(probe.cell().isTombstone()).isTrue();
        assertThat(probe.expiryMillis()).isZero();
    }

    @Test
    void expiredValueIsDroppedThoughNobodyReadsIt() {
        StateProbe<ValueState<String>> probe = new StateProbe<>(value(ON_WRITE));
        probe.at(1_000).process(state -> state.update("a"));

        probe.at(1_099).process(state -> {});
        assertThat(probe.cell().isTombstone()).isFalse();
        probe.at(1_100).process(state -> {});
        assertThat(probe.cell().isTombstone()).isTrue();
    }

    @Test
    void writeBeginsTheTimeToLiveAnew() {
        StateProbe<ValueState<String>> probe = new StateProbe<>(value(ON_WRITE));
        probe.at(1_000).process(state -> state.update("a"));
        probe.at(1_050).process(state -> state.update("b"));

        probe.at(1_149).process(state -> assertThat(state.value()).isEqualTo("b"));
        probe.at(1_150).process(state -> assertThat(state.value()).isNull());
    }

    @Test
    void readBeginsItAnewIfSoWished() {
        StateProbe<ValueState<String>> probe = new StateProbe<>(value(ON_READ));
        probe.at(1_000).process(state -> state.update("a"));
        probe.at(1_099).process(state -> assertThat(state.value()).isEqualTo("a"));
        assertThat(probe.item("state")).isEqualTo("[\"\\\"a\\\"\",1099]");

        probe.at(1_150).process(state -> {});
        probe.at(1_199).process(state -> assertThat(state.value()).isNull());
    }

    @Test
    void changeInPlaceIsStoredAndIsNoWrite() {
        StateProbe<ValueState<TextPipeline.Counter>> probe = new StateProbe<>(context ->
                context.getState(with(ON_WRITE, new ValueStateDescriptor<>("state", TextPipeline.Counter.class))));
        probe.at(1_000).process(state -> state.update(new TextPipeline.Counter()));
        probe.at(1_050).process(state -> Objects.requireNonNull(state.value()).count = 7);

        assertThat(probe.item("state")).isEqualTo("[\"{\\\"count\\\":7}\",1000]");
    }

    @Test
    void clockThatGoesBackLetsNothingExpireAndWritesItsOwnTime() {
        StateProbe<ValueState<String>> probe = new StateProbe<>(value(ON_WRITE));
        probe.at(1_000).process(state -> state.update("a"));
        probe.at(10).process(state -> assertThat(state.value()).isEqualTo("a"));
        assertThat(probe.expiryMillis()).isEqualTo(1_100);

        probe.process(state -> state.update("b"));
        assertThat(probe.item("state")).isEqualTo("[\"\\\"b\\\"\",10]");
        probe.at(109).process(state -> assertThat(state.value()).isEqualTo("b"));
        probe.at(110).process(state -> assertThat(state.value()).isNull());
    }

    @Test
    void redriveJudgesAndWritesAtItsOwnTime() {
        StateProbe<ValueState<String>> probe = new StateProbe<>(value(ON_WRITE));
        probe.at(1_000).process(state -> state.update("a"));

        probe.at(1_099).redrive(state -> assertThat(state.value()).isEqualTo("a"));
        probe.at(1_100).redrive(state -> {
            assertThat(state.value()).isNull();
            state.update("b");
        });
        assertThat(probe.item("state")).isEqualTo("[\"\\\"b\\\"\",1100]");
    }

    @Test
    void clearedStateIsGoneAndCanBeWrittenAnew() {
        StateProbe<ValueState<String>> probe = new StateProbe<>(value(ON_WRITE));
        probe.at(1_000).process(state -> state.update("a"));
        probe.at(1_010).process(ValueState::clear);
        assertThat(probe.cell().isTombstone()).isTrue();
        probe.at(1_020).process(state -> state.update("b"));
        assertThat(probe.expiryMillis()).isEqualTo(1_120);
    }

    @Test
    void expiredValueIsShownUntilItsCellIsWrittenIfSoWished() {
        StateProbe<ValueState<TextPipeline.Counter>> probe = new StateProbe<>(context ->
                context.getState(with(SHOWN, new ValueStateDescriptor<>("state", TextPipeline.Counter.class))));
        probe.at(1_000).process(state -> state.update(new TextPipeline.Counter()));
        probe.at(2_000)
                .processTogether(List.of(
                        state -> Objects.requireNonNull(state.value()).count = 7,
                        state -> assertThat(Objects.requireNonNull(state.value()).count)
                                .isEqualTo(7)));
        assertThat(probe.cell().isTombstone())
                .as("a change in place keeps nothing alive")
                .isTrue();

        probe.process(state -> assertThat(state.value()).isNull());
        probe.process(state -> state.update(new TextPipeline.Counter()));
        probe.at(3_000).process(state -> state.update(Objects.requireNonNull(state.value())));
        assertThat(probe.expiryMillis()).as("written again").isEqualTo(3_100);
    }

    @Test
    void expiredValueThatIsReadIsNotRenewed() {
        StateTtlConfig both = StateTtlConfig.newBuilder(Duration.ofMillis(100))
                .updateTtlOnReadAndWrite()
                .returnExpiredIfNotCleanedUp()
                .build();
        StateProbe<ValueState<String>> probe = new StateProbe<>(value(both));
        probe.at(1_000).process(state -> state.update("a"));
        probe.at(1_100).process(state -> assertThat(state.value()).isEqualTo("a"));

        assertThat(probe.cell().isTombstone()).isTrue();
    }

    @Test
    void entriesOfAMapExpireOneByOne() {
        StateProbe<MapState<String, String>> probe = new StateProbe<>(map(ON_WRITE));
        probe.at(1_000).process(state -> state.putAll(Map.of("a", "1", "b", "2")));
        probe.at(1_050).process(state -> state.put("b", "3"));
        assertThat(probe.item("state")).isEqualTo("{\"a\":[\"\\\"1\\\"\",1000],\"b\":[\"\\\"3\\\"\",1050]}");
        assertThat(probe.expiryMillis()).isEqualTo(1_150);

        probe.at(1_099).process(state -> assertThat(state.keys()).containsExactly("a", "b"));
        probe.at(1_100).process(state -> {
            assertThat(state.get("a")).isNull();
            assertThat(state.contains("a")).isFalse();
            assertThat(state.contains("b")).isTrue();
            assertThat(state.keys()).containsExactly("b");
        });
        assertThat(probe.item("state")).isEqualTo("{\"b\":[\"\\\"3\\\"\",1050]}");
        probe.at(1_150).process(state -> assertThat(state.isEmpty()).isTrue());
        assertThat(probe.cell().isTombstone()).isTrue();
    }

    @Test
    void entriesOfAMapAreRenewedByEachWayToReadThem() {
        StateProbe<MapState<String, String>> probe = new StateProbe<>(map(ON_READ));
        probe.at(1_000).process(state -> state.putAll(Map.of("get", "", "contains", "", "not", "")));
        probe.at(1_010).process(state -> {
            assertThat(state.get("get")).isEmpty();
            assertThat(state.contains("contains")).isTrue();
            assertThat(state.contains("none")).isFalse();
            assertThat(state.isEmpty()).isFalse();
        });
        assertThat(times(probe.cell())).isEqualTo(Map.of("get", 1_010L, "contains", 1_010L, "not", 1_000L));

        probe.at(1_020).process(state -> assertThat(state.values()).hasSize(3));
        assertThat(times(probe.cell()).values()).containsOnly(1_020L);
    }

    private static Map<String, Long> times(Cell cell) {
        Map<String, Long> times = new java.util.TreeMap<>();
        EngineHarness.entries(cell, "state").forEach((key, value) -> times.put(key, value.timeMillis()));
        return times;
    }

    @Test
    void expiredEntriesAreShownUntilTheCellIsWrittenIfSoWished() {
        StateProbe<MapState<String, String>> probe = new StateProbe<>(map(SHOWN));
        probe.at(1_000).process(state -> state.putAll(Map.of("a", "1", "b", "2")));
        probe.at(1_100).process(state -> {
            assertThat(state.keys()).containsExactly("a", "b");
            state.put("b", "3");
        });
        assertThat(probe.item("state")).isEqualTo("{\"b\":[\"\\\"3\\\"\",1100]}");
    }

    @Test
    void elementsOfAListExpireOneByOne() {
        StateProbe<ListState<String>> probe = new StateProbe<>(list(ON_WRITE));
        probe.at(1_000).process(state -> state.add("a"));
        probe.at(1_050).process(state -> state.addAll(List.of("b", "c")));
        assertThat(probe.item("state")).isEqualTo("[[\"\\\"a\\\"\",1000],[\"\\\"b\\\"\",1050],[\"\\\"c\\\"\",1050]]");
        assertThat(probe.expiryMillis()).isEqualTo(1_150);

        probe.at(1_099).process(state -> assertThat(state.get()).containsExactly("a", "b", "c"));
        probe.at(1_100).process(state -> assertThat(state.get()).containsExactly("b", "c"));
        assertThat(probe.item("state")).isEqualTo("[[\"\\\"b\\\"\",1050],[\"\\\"c\\\"\",1050]]");
        probe.at(1_110).process(state -> state.update(List.of("d")));
        probe.at(1_209).process(state -> assertThat(state.get()).containsExactly("d"));
        probe.at(1_210).process(state -> assertThat(state.get()).isEmpty());
        assertThat(probe.cell().isTombstone()).isTrue();
    }

    @Test
    void elementsOfAListAreRenewedByReadingThem() {
        StateProbe<ListState<String>> probe = new StateProbe<>(list(ON_READ));
        probe.at(1_000).process(state -> state.addAll(List.of("a", "b")));
        probe.at(1_090).process(state -> state.add("c"));
        assertThat(probe.item("state")).contains("1000").contains("1090");
        probe.at(1_099).process(state -> assertThat(state.get()).containsExactly("a", "b", "c"));

        assertThat(probe.item("state")).doesNotContain("1000").doesNotContain("1090");
        assertThat(probe.expiryMillis()).isEqualTo(1_199);
    }

    @Test
    void expiredElementsAreShownUntilTheCellIsWrittenIfSoWished() {
        StateProbe<ListState<String>> probe = new StateProbe<>(list(SHOWN));
        probe.at(1_000).process(state -> state.add("a"));
        probe.at(1_100).process(state -> {
            state.add("b");
            assertThat(state.get()).containsExactly("a", "b");
        });
        probe.process(state -> assertThat(state.get()).containsExactly("b"));
    }

    @Test
    void addingRenewsAReducedValueAndBeginsAgainBehindAnExpiredOne() {
        StateProbe<ReducingState<Long>> probe = new StateProbe<>(sum(ON_WRITE));
        probe.at(1_000).process(state -> state.add(1L));
        probe.at(1_099).process(state -> state.add(2L));
        probe.at(1_198).process(state -> assertThat(state.get()).isEqualTo(3));
        probe.at(1_199).process(state -> {
            assertThat(state.get()).isNull();
            state.add(4L);
        });
        assertThat(probe.item("state")).isEqualTo("[\"4\",1199]");
    }

    @Test
    void nothingIsAddedToAnExpiredValueThatIsShown() {
        StateProbe<ReducingState<Long>> reducing = new StateProbe<>(sum(SHOWN));
        reducing.at(1_000).process(state -> state.add(1L));
        reducing.at(1_100).process(state -> {
            assertThat(state.get()).isEqualTo(1);
            state.add(2L);
            state.add(3L);
            assertThat(state.get()).isEqualTo(5);
        });
        StateProbe<AggregatingState<Integer, String>> aggregating = new StateProbe<>(mean(SHOWN));
        aggregating.at(1_000).process(state -> state.add(1));
        aggregating.at(1_100).process(state -> {
            assertThat(state.get()).isEqualTo("1/1");
            state.add(2);
            state.add(3);
            assertThat(state.get()).isEqualTo("5/2");
        });
    }

    @Test
    void accumulatorExpiresAndIsRenewedByAddingAndByReadingIfSoWished() {
        StateProbe<AggregatingState<Integer, String>> probe = new StateProbe<>(mean(ON_READ));
        probe.at(1_000).process(state -> state.add(1));
        probe.at(1_099).process(state -> state.add(2));
        probe.at(1_198).process(state -> assertThat(state.get()).isEqualTo("3/2"));
        assertThat(probe.expiryMillis()).isEqualTo(1_298);
        probe.at(1_298).process(state -> assertThat(state.get()).isNull());
    }

    @Test
    void allRecordsOfARunSeeItsTime() {
        StateProbe<ValueState<String>> probe = new StateProbe<>(value(ON_WRITE));
        probe.at(1_000)
                .processTogether(List.of(
                        state -> state.update("a"),
                        state -> assertThat(state.value()).isEqualTo("a")));
        assertThat(probe.expiryMillis()).isEqualTo(1_100);
    }

    @Test
    void stateWithoutATimeCountsFromTheWriteOfItsCellOnByCodeWithATimeToLive() {
        StateProbe<MapState<String, String>> before = new StateProbe<>(map(null));
        before.at(0).process(state -> state.put("old", ""));
        assertThat(before.item("state")).isEqualTo("{\"old\":\"\\\"\\\"\"}");
        assertThat(before.expiryMillis()).isNull();

        StateProbe<MapState<String, String>> added = before.deploy(map(ON_WRITE));
        added.at(5_000).process(state -> state.put("new", ""));
        assertThat(times(added.cell())).isEqualTo(Map.of("old", 5_000L, "new", 5_000L));
        assertThat(added.expiryMillis()).isEqualTo(5_100);
    }

    @Test
    void stateKeepsNoTimeWhenTheTimeToLiveIsRemoved() {
        StateProbe<ListState<String>> before = new StateProbe<>(list(ON_WRITE));
        before.at(1_000).process(state -> state.add("old"));

        StateProbe<ListState<String>> removed = before.deploy(list(null));
        removed.at(9_000).process(state -> state.add("new"));
        assertThat(removed.item("state")).isEqualTo("[\"\\\"old\\\"\",\"\\\"new\\\"\"]");
        assertThat(removed.expiryMillis()).isNull();

        StateProbe<ListState<String>> again = removed.deploy(list(ON_WRITE));
        again.process(state -> assertThat(state.get()).containsExactly("old", "new"));
        assertThat(again.expiryMillis()).isEqualTo(9_100);
    }

    @Test
    void anotherTimeToLiveHoldsForWhatIsStored() {
        StateProbe<ValueState<String>> before = new StateProbe<>(value(ON_WRITE));
        before.at(1_000).process(state -> state.update("a"));
        StateTtlConfig longer =
                StateTtlConfig.newBuilder(Duration.ofMillis(300)).build();
        StateTtlConfig shorter =
                StateTtlConfig.newBuilder(Duration.ofMillis(20)).build();

        StateProbe<ValueState<String>> lengthened = before.deploy(value(longer));
        lengthened.at(1_299).process(state -> assertThat(state.value()).isEqualTo("a"));
        assertThat(lengthened.expiryMillis()).isEqualTo(1_300);
        before.deploy(value(shorter))
                .at(1_019)
                .process(state -> assertThat(state.value()).isEqualTo("a"));
        before.deploy(value(shorter))
                .at(1_020)
                .process(state -> assertThat(state.value()).isNull());
    }

    @Test
    void cellExpiresWithTheLastOfItsStatesAndNeverWithOneThatDoesNot() {
        record Both(ValueState<String> one, ValueState<String> other) {}
        StateProbe<Both> expiring = new StateProbe<>(context -> new Both(
                context.getState(with(ON_WRITE, new ValueStateDescriptor<>("one", String.class))),
                context.getState(with(ON_WRITE, new ValueStateDescriptor<>("other", String.class)))));
        expiring.at(1_000).process(state -> state.one().update("a"));
        expiring.at(1_010).process(state -> state.other().update("b"));
        assertThat(expiring.expiryMillis()).isEqualTo(1_110);
        expiring.at(1_020).process(state -> state.one().update("c"));
        assertThat(expiring.expiryMillis()).isEqualTo(1_120);

        StateProbe<Both> mixed = expiring.deploy(context -> new Both(
                context.getState(with(ON_WRITE, new ValueStateDescriptor<>("one", String.class))),
                context.getState(new ValueStateDescriptor<>("other", String.class))));
        mixed.process(state -> {});
        assertThat(mixed.expiryMillis()).as("one of them never expires").isNull();
        mixed.process(state -> state.other().clear());
        assertThat(mixed.expiryMillis()).isEqualTo(1_120);

        StateProbe<ValueState<String>> unknown = mixed.deploy(value(ON_WRITE));
        unknown.process(state -> state.update("d"));
        assertThat(unknown.expiryMillis())
                .as("the code does not know how long 'one' lives")
                .isNull();
        assertThat(unknown.item("one")).isEqualTo("[\"\\\"c\\\"\",1020]");
    }

    @Test
    void valueOfTextAndOneOfBytesKeepTheirKindWithATime() {
        StateProbe<ValueState<String>> probe = new StateProbe<>(value(ON_WRITE));
        probe.store("state", new StoredState.Value(new byte[] {'"', 'x', '"'}, false, 1_000));

        probe.at(1_050).process(state -> assertThat(state.value()).isEqualTo("x"));
        assertThat(probe.item("state")).isEqualTo("[\"\\\"x\\\"\",1000]");
    }
}
