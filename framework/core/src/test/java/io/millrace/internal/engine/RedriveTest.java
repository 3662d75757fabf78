package io.millrace.internal.engine;

import static io.millrace.internal.engine.EngineHarness.LANE;
import static io.millrace.internal.engine.EngineHarness.record;
import static io.millrace.internal.engine.Ledger.add;
import static io.millrace.internal.engine.Ledger.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.internal.engine.Ledger.Action;
import io.millrace.internal.engine.RecordFailure.Kind;
import io.millrace.internal.item.ItemSize;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A dead letter's record run over its cells, outside of its lane. */
class RedriveTest {
    private static final Instant EXPIRY = Instant.ofEpochSecond(5_000);

    private final EngineHarness harness = new EngineHarness();

    private static Redrive redrive(int position, Ledger.Event event, @Nullable String key) {
        return new Redrive(LANE, record(position, event), key, EXPIRY);
    }

    /** Runs all parts of a record, or that of one key. */
    private List<Unit> run(Redrive redrive) throws RecordFailure {
        RoutedRecord routed = harness.engine.route(redrive.input());
        Map<String, Cell> cells = new LinkedHashMap<>();
        for (String key : routed.elements().keySet()) {
            if (redrive.key() == null || redrive.key().equals(key)) {
                cells.put(key, harness.cell(key));
            }
        }
        return harness.engine.redrive(redrive, StageTime.withoutWatermark(Instant.EPOCH), routed, cells);
    }

    private RecordFailure failureOf(Redrive redrive) {
        try {
            run(redrive);
        } catch (RecordFailure failure) {
            return failure;
        }
        throw new AssertionError("it did not fail");
    }

    private void put(List<Unit> units) {
        units.forEach(unit -> harness.store.put(unit.after()));
    }

    @Test
    void aCellAbsorbsARedriveThatItsFenceCoversAndItsFenceStays() throws RecordFailure {
        harness.runAndCommit(add("a", 1), add("a", 2), add("a", 3));

        List<Unit> units = run(redrive(2, add("a", 10), "a"));
        put(units);

        assertThat(units).singleElement().satisfies(unit -> {
            assertThat(unit.before().version())
                    .isNotNull()
                    .isNotEqualTo(unit.after().version());
            assertThat(unit.progress()).isNull();
            assertThat(unit.rows()).hasSize(1);
            assertThat(unit.deadLetters()).isEmpty();
        });
        assertThat(harness.state("a", "account")).isEqualTo("{\"total\":16,\"amounts\":[1,2,3,10]}");
        assertThat(harness.cell("a").fence().at(LANE)).isEqualTo(Position.of("3"));
    }

    @Test
    void aRedriveAboveTheFenceDoesNotRaiseIt() throws RecordFailure {
        harness.runAndCommit(add("a", 1));

        put(run(redrive(7, add("a", 10), null)));
        put(run(redrive(3, add("a", 100), null)));

        assertThat(harness.cell("a").fence().at(LANE)).isEqualTo(Position.of("1"));
        assertThat(harness.state("a", "account")).contains("[1,10,100]");
    }

    @Test
    void aCellKeepsItsRedrivesAlsoWhenItsLaneGoesOn() throws RecordFailure {
        Redrive first = redrive(2, add("a", 10), "a");
        Redrive second = redrive(1, add("a", 20), null);
        put(run(first));
        put(run(second));

        harness.runAndCommit(List.of(record(5, add("a", 1))));

        assertThat(harness.cell("a").redrives().expiries()).isEqualTo(Map.of(first.id(), EXPIRY, second.id(), EXPIRY));
        assertThat(harness.cell("a").fence().at(LANE)).isEqualTo(Position.of("5"));
    }

    /** A dead letter of several keys is open again behind a restore, if one of its cells was copied before it was redriven. */
    @Test
    void aRestoredCellThatHasAbsorbedARedriveLeavesItOut() throws RecordFailure {
        Redrive redrive = redrive(2, add("a", 10), null);
        put(run(redrive));

        assertThat(run(redrive)).isEmpty();
        assertThat(run(redrive(3, add("a", 20), null))).hasSize(1);
        assertThat(run(redrive(2, add("a", 10), "a")))
                .as("another letter of the record")
                .hasSize(1);
    }

    @Test
    void redrivesAreToldApart() {
        Redrive redrive = redrive(300, add("a", 1), "a");

        assertThat(redrive.id()).isEqualTo("0.0@AgEs");
        assertThat(redrive(300, add("a", 1), null).id()).isEqualTo("0.0@AgEs*");
        assertThat(redrive(301, add("a", 1), "a").id()).isEqualTo("0.0@AgEt");
        Lane otherLane = new Lane(0, "events", "shardId-000000000012");
        assertThat(new Redrive(otherLane, redrive.input(), "a", EXPIRY).id()).isEqualTo("0.12@AgEs");
    }

    @Test
    void aRedriveMayBeForgottenFromItsExpiryOn() throws RecordFailure {
        put(run(redrive(1, add("a", 1), "a")));
        Redrive later = new Redrive(LANE, record(2, add("a", 1)), "a", EXPIRY.plusSeconds(1));
        put(run(later));
        Cell cell = harness.cell("a");
        assertThat(cell.redrives().lastExpiry()).isEqualTo(later.expiry());

        assertThat(cell.withoutRedrivesUntil(EXPIRY.minusSeconds(1)).redrives().expiries())
                .hasSize(2);
        Cell left = cell.withoutRedrivesUntil(EXPIRY);
        assertThat(left.redrives().expiries()).containsOnlyKeys(later.id());
        assertThat(left.redrives()).hasToString("{" + later.id() + "=" + later.expiry() + "}");
        assertThat(left.version()).isEqualTo(cell.version());
        assertThat(left.states()).isEqualTo(cell.states());
        Cell none = cell.withoutRedrivesUntil(later.expiry());
        assertThat(none.redrives().expiries()).isEmpty();
        assertThat(none.redrives().lastExpiry()).isNull();
    }

    @Test
    void allPartsOfARecordWithoutAKeyRunAndOnlyOneKeysOfAnother() throws RecordFailure {
        assertThat(run(redrive(1, add("a,b,c", 5), null)))
                .extracting(unit -> unit.after().key().key())
                .containsExactly("a", "b", "c");
        assertThat(run(redrive(1, add("a,b,c", 5), "b")))
                .extracting(unit -> unit.after().key().key())
                .containsExactly("b");
    }

    @Test
    void aRecordThatTheCodeDropsHasNoUnit() throws RecordFailure {
        assertThat(run(redrive(1, event("a", Action.SKIP), null))).isEmpty();
    }

    @Test
    void whatTheFunctionThrowsIsTheRecordsFailureAtItsKey() {
        RecordFailure failure = failureOf(redrive(1, event("a", Action.CHANGE_THEN_THROW), "a"));

        assertThat(failure.kind()).isEqualTo(Kind.FUNCTION_THREW);
        assertThat(failure.key()).isEqualTo("a");
        assertThat(failure.position()).isEqualTo(Position.of("1"));
    }

    @Test
    void stateThatCannotBeStoredIsTheRecordsFailure() {
        assertThat(failureOf(redrive(1, event("a", Action.UNWRITABLE), "a")).kind())
                .isEqualTo(Kind.FUNCTION_THREW);
        RecordFailure large = failureOf(redrive(1, new Ledger.Event("a", Action.LARGE_DATA, 500_000), null));
        assertThat(large.kind()).isEqualTo(Kind.UNACCEPTABLE);
        assertThat(large.key()).isEqualTo("a");
        assertThatThrownBy(() -> run(redrive(1, event("a", Action.OUT_OF_MEMORY_WHEN_WRITTEN), "a")))
                .isInstanceOf(OutOfMemoryError.class);
    }

    @Test
    void theDeadLetterTakesOneOfTheTransactionsWrites() throws RecordFailure {
        assertThat(run(redrive(1, new Ledger.Event("a", Action.ROWS, 98), "a")))
                .singleElement()
                .satisfies(unit -> assertThat(unit.rows()).hasSize(98));

        RecordFailure failure = failureOf(redrive(1, new Ledger.Event("a", Action.ROWS, 99), "a"));
        assertThat(failure.kind()).isEqualTo(Kind.UNACCEPTABLE);
        assertThat(failure.key()).isEqualTo("a");
        assertThat(failure.position()).isEqualTo(Position.of("1"));
        assertThat(failure).hasMessageContaining("would take 101 writes of").hasMessageContaining("takes 100 writes");
    }

    @Test
    void allPartsTogetherFillATransactionToTheLastByte() throws RecordFailure {
        String keys = "a,b,c,d,e,f,g,h,i,j";
        Redrive redrive = redrive(1, new Ledger.Event(keys, Action.LARGE_ROW, 370_000), null);
        pad("a", 0);
        run(redrive); // From now on all versions have the same length.
        int room = ItemSize.TRANSACTION_BYTES_MAX - bytes(run(redrive));

        pad("a", room);
        assertThat(bytes(run(redrive))).isEqualTo(ItemSize.TRANSACTION_BYTES_MAX);
        pad("a", room + 1);
        RecordFailure failure = failureOf(redrive);

        assertThat(failure.kind()).isEqualTo(Kind.UNACCEPTABLE);
        assertThat(failure.key()).isNull();
        assertThat(failure)
                .hasMessageContaining("would take 21 writes of 4194305 bytes: the dead letter, the cells of 10");
    }

    /** Gives a cell state that the code does not know, and so keeps, and that cannot be compressed. */
    private void pad(String key, int bytes) {
        byte[] data = new byte[bytes];
        new Random(1).nextBytes(data);
        StoredState unknown = new StoredState.Value(data, false);
        harness.store.put(new Cell(CellStore.key(key), "old", Fence.EMPTY, Map.of("pad", unknown)));
    }

    /** What a transaction has to take, with the dead letter as large as an item can be. */
    private static int bytes(List<Unit> units) {
        return ItemSize.ITEM_BYTES_MAX
                + units.stream()
                        .mapToInt(unit -> CellItems.size(unit.item())
                                + unit.rows().stream()
                                        .mapToInt(io.millrace.internal.item.Row::size)
                                        .sum())
                        .sum();
    }

    @Test
    void twoKeysThatWriteOneRowAreRefused() throws RecordFailure {
        StageEngine engine =
                new StageEngine(PipelineBuilder.plan(new SharedRow()).stages().get(0), () -> "version");
        Redrive redrive = new Redrive(LANE, record(1, Json.of(String.class).serialize("a,b")), null, EXPIRY);
        RoutedRecord routed = engine.route(redrive.input());
        Map<String, Cell> cells = new HashMap<>();
        routed.elements().keySet().forEach(key -> cells.put(key, Cell.absent(new CellKey("shared", key, 1))));

        assertThatThrownBy(() -> engine.redrive(redrive, StageTime.withoutWatermark(Instant.EPOCH), routed, cells))
                .isInstanceOf(RecordFailure.class)
                .hasMessageContaining("Two keys of the record write the same row")
                .hasMessageContaining("the-one");
    }

    /** A pipeline whose keys all write one row. */
    private static final class SharedRow implements PipelineDefinition {
        private record Line(@PartitionKey String id, String last) {}

        @Override
        public void define(PipelineBuilder pipeline) {
            pipeline.fromKinesis("texts", Json.of(String.class))
                    .<String>flatMap((text, out) -> List.of(text.split(",")).forEach(out::collect))
                    .keyBy(text -> text)
                    .process(new KeyedProcessFunction<String, String, Line>() {
                        @Override
                        public void processElement(String value, Context ctx, Collector<Line> out) {
                            out.collect(new Line("the-one", Objects.requireNonNull(value)));
                        }
                    })
                    .uid("shared")
                    .sinkTo(DynamoDbSink.rows("lines", Line.class));
        }
    }

    @Test
    void redrivesLieInTheCellsItemWithTheirExpiryInSeconds() throws RecordFailure {
        Redrive redrive = redrive(300, add("a", 1), "a");
        Unit unit = run(redrive).get(0);

        assertThat(unit.item().path("redrives").path("0.0@AgEs").asLong()).isEqualTo(5_000);
        assertThat(CellItems.fromItem(unit.after().key(), unit.item())
                        .redrives()
                        .expiries())
                .isEqualTo(Map.of(redrive.id(), EXPIRY));
        harness.runAndCommit(add("b", 1));
        assertThat(CellItems.toItem(harness.cell("b")).has("redrives")).isFalse();
    }
}
