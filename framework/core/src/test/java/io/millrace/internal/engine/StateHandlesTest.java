package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.MillraceException;
import io.millrace.OpenContext;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What functions see of their state. */
class StateHandlesTest {
    private final Probe probe = new Probe();
    private final StageEngine engine = TextPipeline.engine(probe);
    private Cell cell = Cell.absent(CellStore.key("a"));
    private int records;

    /** A function whose body each test gives. */
    private static final class Probe extends KeyedProcessFunction<String, String, TextPipeline.Counted> {
        @SuppressWarnings("NullAway.Init")
        private MapState<Long, TextPipeline.Counter> map;

        @SuppressWarnings("NullAway.Init")
        private ValueState<TextPipeline.Counter> value;

        private Consumer<Probe> body = probe -> {};

        @Override
        public void open(OpenContext openContext) {
            map = getRuntimeContext()
                    .getMapState(new MapStateDescriptor<>("map", Long.class, TextPipeline.Counter.class));
            value = getRuntimeContext().getState(new ValueStateDescriptor<>("value", TextPipeline.Counter.class));
        }

        @Override
        public void processElement(String text, Context ctx, Collector<TextPipeline.Counted> out) {
            body.accept(this);
        }
    }

    private static TextPipeline.Counter counter(int count) {
        TextPipeline.Counter counter = new TextPipeline.Counter();
        counter.count = count;
        return counter;
    }

    /** Runs a body over the cell, as one record and one unit. */
    private void process(Consumer<Probe> body) throws RecordFailure {
        probe.body = body;
        RoutedRecord routed = engine.route(EngineHarness.record(++records, TextPipeline.payload("a")));
        RunResult result = engine.run(
                EngineHarness.LANE,
                StageTime.withoutWatermark(Instant.EPOCH),
                List.of(routed),
                Map.of("a", cell),
                new Condemned(),
                Set.of(),
                () -> false);
        if (result.failure() != null) {
            throw result.failure();
        }
        cell = CellItems.fromItem(
                cell.key(), EngineHarness.units(result, "a").get(0).item());
    }

    @Test
    void mapIsWalkedInTheOrderOfItsKeysText() throws RecordFailure {
        process(p -> {
            p.map.put(10L, counter(1));
            p.map.put(9L, counter(2));
            p.map.putAll(Map.of(100L, counter(3)));
            assertThat(p.map.keys()).containsExactly(10L, 100L, 9L);
        });
        process(p -> {
            p.map.put(1L, counter(4));
            assertThat(p.map.keys()).containsExactly(1L, 10L, 100L, 9L);
            assertThat(p.map.values()).extracting(value -> value.count).containsExactly(4, 1, 3, 2);
            assertThat(p.map.entries())
                    .extracting(entry -> entry.getKey() + "=" + entry.getValue().count)
                    .containsExactly("1=4", "10=1", "100=3", "9=2");
        });
    }

    @Test
    void mapTellsWhatIsInIt() throws RecordFailure {
        process(p -> {
            assertThat(p.map.isEmpty()).isTrue();
            assertThat(p.map.contains(1L)).isFalse();
            assertThat(p.map.get(1L)).isNull();
            assertThat(p.map.contains(1L)).as("looking does not put").isFalse();
            p.map.put(1L, counter(1));
            assertThat(p.map.isEmpty()).isFalse();
            assertThat(p.map.contains(1L)).isTrue();
        });
        process(p -> {
            assertThat(p.map.isEmpty()).isFalse();
            assertThat(p.map.contains(1L)).isTrue();
            assertThat(p.map.contains(2L)).isFalse();
            p.map.put(1L, counter(5));
            assertThat(java.util.Objects.requireNonNull(p.map.get(1L)).count).isEqualTo(5);
        });
    }

    @Test
    void removedEntryIsGoneWhetherItWasReadOrNot() throws RecordFailure {
        process(p -> p.map.putAll(Map.of(1L, counter(1), 2L, counter(2), 3L, counter(3))));
        process(p -> {
            p.map.remove(1L);
            assertThat(p.map.get(2L)).isNotNull();
            p.map.remove(2L);
            p.map.remove(7L);
            assertThat(p.map.contains(1L)).isFalse();
            assertThat(p.map.get(2L)).isNull();
            assertThat(p.map.keys()).containsExactly(3L);
        });
        process(p -> assertThat(p.map.keys()).containsExactly(3L));
        process(p -> p.map.remove(3L));
        assertThat(cell.isTombstone()).isTrue();
    }

    @Test
    void clearedMapIsGone() throws RecordFailure {
        process(p -> p.map.putAll(Map.of(1L, counter(1), 2L, counter(2))));
        process(p -> {
            p.map.put(3L, counter(3));
            p.map.clear();
            assertThat(p.map.isEmpty()).isTrue();
            assertThat(p.map.entries()).isEmpty();
            assertThat(p.map.get(1L)).isNull();
        });
        assertThat(cell.isTombstone()).isTrue();
    }

    @Test
    void collectionsAreSnapshots() throws RecordFailure {
        process(p -> p.map.putAll(Map.of(1L, counter(1), 2L, counter(2))));
        process(p -> {
            for (Long key : p.map.keys()) {
                p.map.remove(key);
            }
            assertThat(p.map.isEmpty()).isTrue();
        });
    }

    @Test
    void objectsChangedInPlaceAreStoredAsChanged() throws RecordFailure {
        process(p -> {
            p.map.put(1L, counter(1));
            p.map.put(2L, counter(2));
            p.value.update(counter(3));
        });
        process(p -> {
            java.util.Objects.requireNonNull(p.map.get(1L)).count = 10;
            p.map.entries().forEach(entry -> entry.getValue().count += 100);
            java.util.Objects.requireNonNull(p.value.value()).count = 30;
        });
        process(p -> {
            assertThat(p.map.values()).extracting(value -> value.count).containsExactly(110, 102);
            assertThat(java.util.Objects.requireNonNull(p.value.value()).count).isEqualTo(30);
        });
    }

    @Test
    void valueThatIsNullIsRemoved() throws RecordFailure {
        process(p -> {
            assertThat(p.value.value()).isNull();
            p.value.update(counter(1));
        });
        process(p -> {
            p.value.update(null);
            assertThat(p.value.value()).isNull();
        });
        assertThat(cell.isTombstone()).isTrue();
        process(p -> p.value.clear());
        process(p -> p.value.update(counter(2)));
        assertThat(EngineHarness.text(cell, "value")).isEqualTo("{\"count\":2}");
    }

    @Test
    void stateThatIsNotTouchedKeepsItsBytes() throws RecordFailure {
        StoredState.Value odd =
                new StoredState.Value("{ \"count\" : 7 }".getBytes(java.nio.charset.StandardCharsets.UTF_8), true);
        cell = new Cell(
                cell.key(),
                "v",
                Fence.EMPTY,
                Map.of(
                        "value",
                        odd,
                        "map",
                        new StoredState.Entries(new java.util.TreeMap<>(Map.of("1", odd, "2", odd)))));

        process(p -> p.map.remove(1L));

        assertThat(EngineHarness.text(cell, "value")).isEqualTo("{ \"count\" : 7 }");
        assertThat(EngineHarness.entries(cell, "map")).containsOnlyKeys("2");
        assertThat(EngineHarness.entries(cell, "map").values())
                .extracting(StoredState.Value::text)
                .containsExactly("{ \"count\" : 7 }");
    }

    @Test
    @SuppressWarnings("NullAway") // a null value is what the test is about
    void mapKeepsNoNull() throws RecordFailure {
        process(p -> assertThatThrownBy(() -> p.map.put(1L, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("a map state keeps no null; use remove to drop an entry"));
    }

    @Test
    void handlesAreRefusedOutsideOfProcessElement() throws RecordFailure {
        process(p -> p.value.update(counter(1)));

        List<Runnable> uses = List.of(
                () -> probe.value.value(),
                () -> probe.value.update(counter(1)),
                () -> probe.value.clear(),
                () -> probe.map.get(1L),
                () -> probe.map.put(1L, counter(1)),
                () -> probe.map.remove(1L),
                () -> probe.map.contains(1L),
                () -> probe.map.isEmpty(),
                () -> probe.map.entries(),
                () -> probe.map.clear());
        for (Runnable use : uses) {
            assertThatThrownBy(use::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(
                            "is used outside of processElement and onTimer, where there is no current key.");
        }
    }

    @Test
    void handlesAreRefusedAgainAfterTheFunctionThrew() {
        assertThatThrownBy(() -> process(p -> {
                    throw new IllegalStateException("told to");
                }))
                .isInstanceOf(RecordFailure.class);

        assertThatThrownBy(() -> probe.value.value()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void stateIsRegisteredInOpenOnly() throws RecordFailure {
        process(p -> assertThatThrownBy(
                        () -> p.getRuntimeContext().getState(new ValueStateDescriptor<>("late", String.class)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The state 'late' of stage 'texts' is registered too late: register all state in open()."));
        assertThatThrownBy(() -> probe.getRuntimeContext()
                        .getMapState(new MapStateDescriptor<>("later", String.class, String.class)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("registered too late");
    }

    @Test
    void stateNameIsRegisteredOnce() {
        KeyedProcessFunction<String, String, TextPipeline.Counted> twice = new KeyedProcessFunction<>() {
            @Override
            public void open(OpenContext openContext) {
                getRuntimeContext().getState(new ValueStateDescriptor<>("same", String.class));
                getRuntimeContext().getMapState(new MapStateDescriptor<>("same", String.class, String.class));
            }

            @Override
            public void processElement(String value, Context ctx, Collector<TextPipeline.Counted> out) {}
        };

        assertThatThrownBy(() -> TextPipeline.engine(twice))
                .isInstanceOf(MillraceException.class)
                .hasMessageStartingWith("The function of stage 'texts' could not be opened: ")
                .hasMessageContaining("The state 'same' of stage 'texts' is registered twice: keep the handle of the"
                        + " first time, or take another name.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", "a b", "a#b", "é"})
    void stateNameThatIsNoneIsRefused(String name) {
        assertThatThrownBy(() -> new ValueStateDescriptor<>(name, String.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("The state name '" + name + "' is not allowed");
    }

    @Test
    void mapKeyThatIsNoUnicodeIsTheRecordsFault() {
        List<String> texts = new ArrayList<>(List.of("a\ud800", "b"));
        KeyedProcessFunction<String, String, TextPipeline.Counted> function = new KeyedProcessFunction<>() {
            @SuppressWarnings("NullAway.Init")
            private MapState<String, String> map;

            @Override
            public void open(OpenContext openContext) {
                map = getRuntimeContext().getMapState(new MapStateDescriptor<>("map", String.class, String.class));
            }

            @Override
            public void processElement(String value, Context ctx, Collector<TextPipeline.Counted> out) {
                map.put(texts.remove(0), "x");
            }
        };
        StageEngine odd = TextPipeline.engine(function);

        RunResult result;
        try {
            result = odd.run(
                    EngineHarness.LANE,
                    StageTime.withoutWatermark(Instant.EPOCH),
                    List.of(odd.route(EngineHarness.record(1, TextPipeline.payload("a")))),
                    Map.of("a", cell),
                    new Condemned(),
                    Set.of(),
                    () -> false);
        } catch (RecordFailure e) {
            throw new AssertionError(e);
        }
        assertThat(result.failure()).isNotNull();
        assertThat(result.failure().kind()).isEqualTo(RecordFailure.Kind.UNACCEPTABLE);
    }
}
