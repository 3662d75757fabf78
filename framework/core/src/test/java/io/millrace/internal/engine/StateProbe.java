package io.millrace.internal.engine;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.RuntimeContext;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A stage whose function does with its state what a test tells it, over one cell that is stored and read as an item after
 * each unit.
 *
 * @param <S> the handles
 */
final class StateProbe<S> {
    /** What the function does with one element. */
    @FunctionalInterface
    interface Body<S> {
        void run(S handles) throws Exception;
    }

    private final Probe<S> function;
    private final StageEngine engine;
    private Cell cell;
    private int records;
    private int redrives;
    private long nowMillis;
    private @Nullable Unit last;

    StateProbe(Function<RuntimeContext, S> register) {
        this(register, Cell.absent(CellStore.key("a")), 0);
    }

    private StateProbe(Function<RuntimeContext, S> register, Cell cell, int records) {
        this.function = new Probe<>(register);
        this.engine = TextPipeline.engine(function);
        this.cell = cell;
        this.records = records;
    }

    /** Another version of the code over the same cell. */
    <R> StateProbe<R> deploy(Function<RuntimeContext, R> register) {
        StateProbe<R> next = new StateProbe<>(register, cell, records);
        next.nowMillis = nowMillis;
        next.redrives = redrives;
        return next;
    }

    /** Sets the time of the runs from now on. */
    StateProbe<S> at(long newNowMillis) {
        nowMillis = newNowMillis;
        return this;
    }

    /** Runs one record, as a unit of its own. */
    void process(Body<S> body) {
        processTogether(List.of(body));
    }

    /** Runs records as one unit. */
    void processTogether(List<Body<S>> bodies) {
        RunResult result = run(bodies);
        if (result.failure() != null) {
            throw new AssertionError(result.failure());
        }
        last = EngineHarness.units(result, "a").get(0);
        cell = CellItems.fromItem(cell.key(), last.item());
    }

    /** Runs a record that must fail, and gives the failure. */
    RecordFailure failureOf(Body<S> body) {
        return Objects.requireNonNull(run(List.of(body)).failure());
    }

    /** Runs a dead letter's record, another one each time, as a unit of its own. */
    void redrive(Body<S> body) {
        function.bodies = List.of(body);
        function.next = 0;
        InputRecord input = EngineHarness.record(++redrives, TextPipeline.payload("a"));
        Redrive redrive = new Redrive(EngineHarness.LANE, input, "a", Instant.ofEpochMilli(nowMillis + 1_000));
        try {
            last = engine.redrive(
                            redrive,
                            StageTime.withoutWatermark(Instant.ofEpochMilli(nowMillis)),
                            engine.route(input),
                            Map.of("a", cell))
                    .get(0);
        } catch (RecordFailure e) {
            throw new AssertionError(e);
        }
        cell = CellItems.fromItem(cell.key(), last.item());
    }

    private RunResult run(List<Body<S>> bodies) {
        function.bodies = bodies;
        function.next = 0;
        try {
            List<RoutedRecord> routed = new java.util.ArrayList<>();
            for (int i = 0; i < bodies.size(); i++) {
                routed.add(engine.route(EngineHarness.record(++records, TextPipeline.payload("a"))));
            }
            return engine.run(
                    EngineHarness.LANE,
                    StageTime.withoutWatermark(Instant.ofEpochMilli(nowMillis)),
                    routed,
                    Map.of("a", cell),
                    new Condemned(),
                    Set.of(),
                    () -> false);
        } catch (RecordFailure e) {
            throw new AssertionError(e);
        }
    }

    Cell cell() {
        return cell;
    }

    /** Puts a state into the cell, as another version of the code may have stored it. */
    void store(String name, StoredState state) {
        Map<String, StoredState> states = new java.util.HashMap<>(cell.states());
        states.put(name, state);
        cell = new Cell(cell.key(), "stored", cell.fence(), states);
    }

    /** The state's node in the item that was written last. */
    String item(String state) {
        return Objects.requireNonNull(last).item().path("state").path(state).toString();
    }

    /** From when on the cell that was written last is a tombstone, in milliseconds; null for never. */
    @Nullable
    Long expiryMillis() {
        Instant expiry = Objects.requireNonNull(last).expiry();
        return expiry == null ? null : expiry.toEpochMilli();
    }

    /** The handles, as they are between records. */
    S handles() {
        return Objects.requireNonNull(function.handles);
    }

    private static final class Probe<S> extends KeyedProcessFunction<String, String, TextPipeline.Counted> {
        private final Function<RuntimeContext, S> register;
        private @Nullable S handles;
        private List<Body<S>> bodies = List.of();
        private int next;

        Probe(Function<RuntimeContext, S> register) {
            this.register = register;
        }

        @Override
        public void open(OpenContext openContext) {
            handles = register.apply(getRuntimeContext());
        }

        @Override
        public void processElement(String text, Context ctx, Collector<TextPipeline.Counted> out) throws Exception {
            bodies.get(next++).run(Objects.requireNonNull(handles));
        }
    }
}
