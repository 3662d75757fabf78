package io.millrace.internal.engine;

import io.millrace.MillraceException;
import io.millrace.OpenContext;
import io.millrace.internal.item.ItemSize;
import io.millrace.internal.item.Row;
import io.millrace.internal.item.UnacceptableException;
import io.millrace.internal.plan.KeyedStagePlan;
import io.millrace.internal.plan.StagePlan;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine of a stage with state: a step from cells and records to units, with no I/O, clock or randomness of its own. Records
 * run in lane order over the whole batch. Not thread-safe.
 */
public final class StageEngine {
    /** The longest key, in UTF-8 bytes: a cell holds it whole beside the state and the fence. */
    static final int KEY_BYTES_MAX = 64 * 1024;

    private final KeyedStagePlan plan;
    private final Supplier<String> nonces;
    private final EngineRules rules;
    private final StateRegistry registry;
    private final @Nullable SeenIds seenIds;
    private final CallContext context;

    /**
     * Opens the stage's function.
     *
     * @param nonces gives a new nonce at each call
     */
    public StageEngine(StagePlan plan, Supplier<String> nonces) {
        this(plan, nonces, EngineRules.PROTOCOL);
    }

    /**
     * Opens the stage's function.
     *
     * @param nonces gives a new nonce at each call
     * @param rules what the engine follows
     */
    public StageEngine(StagePlan plan, Supplier<String> nonces, EngineRules rules) {
        this.plan = keyed(plan);
        this.nonces = nonces;
        this.rules = rules;
        this.registry = new StateRegistry(plan.uid());
        this.seenIds = this.plan.deduplication() == null ? null : registry.registerIds(this.plan.deduplication());
        this.plan.function().setRuntimeContext(registry);
        try {
            this.plan.function().open(new OpenContext() {});
        } catch (Exception e) {
            throw new MillraceException("The function of stage '" + plan.uid() + "' could not be opened: " + e, e);
        }
        registry.close();
        this.context = new CallContext(this.plan.function());
    }

    private static KeyedStagePlan keyed(StagePlan plan) {
        if (plan instanceof KeyedStagePlan keyed) {
            return keyed;
        }
        throw new IllegalArgumentException("The stage '" + plan.uid() + "' has no state; a RowEngine runs it.");
    }

    /** The stage that it runs. */
    public KeyedStagePlan plan() {
        return plan;
    }

    /** Decodes a record, runs it through the stateless steps and divides it by key. */
    public RoutedRecord route(InputRecord record) throws RecordFailure {
        List<Object> decoded = Decoding.decode(plan.source(), record);
        EventTimes times = new EventTimes(plan, record);
        Map<String, List<RoutedRecord.Element>> elements = new LinkedHashMap<>();
        try {
            for (EventTimes.Timed element : times.ofElements(decoded)) {
                Object key = Objects.requireNonNull(plan.keySelector().getKey(element.value()), "the key is null");
                elements.computeIfAbsent(encode(key), absent -> new ArrayList<>())
                        .add(new RoutedRecord.Element(key, element.value(), element.timestamp()));
            }
        } catch (Throwable e) {
            RecordFailure.throwIfNotOfRecord(e);
            throw new RecordFailure(RecordFailure.Kind.KEY_UNKNOWN, record.position(), null, e);
        }
        return new RoutedRecord(record, elements, times.max(), times.future());
    }

    /** A key's text, which a cell must be able to hold whatever becomes of the record. */
    private String encode(Object key) {
        String text = plan.keyCodec().encode(key);
        int bytes = ItemSize.utf8Length(text);
        if (bytes > KEY_BYTES_MAX) {
            throw new UnacceptableException(
                    "A key has " + bytes + " bytes; " + KEY_BYTES_MAX + " are allowed. Shorten it in keyBy.");
        }
        return text;
    }

    /**
     * Runs records over their cells, in order. Nothing of a result with a failure may be committed.
     *
     * @param time the time, the same for all records and however often they are run again
     * @param cells the cell of each key that may run; parts of records with other keys are left out
     * @param condemned what becomes a dead letter instead of being run
     * @param oneRecordUnits the keys whose records each become a unit of their own
     * @param outOfTime asked before each record but the first
     */
    public RunResult run(
            Lane lane,
            StageTime time,
            List<RoutedRecord> records,
            Map<String, Cell> cells,
            Condemned condemned,
            Set<String> oneRecordUnits,
            BooleanSupplier outOfTime) {
        registry.setTime(time.clock());
        Map<String, CellRun> runs = new LinkedHashMap<>();
        int duplicates = 0;
        Position stoppedAt = null;
        try {
            for (int i = 0; i < records.size() && stoppedAt == null; i++) {
                RoutedRecord record = records.get(i);
                if (i > 0 && outOfTime.getAsBoolean()) {
                    stoppedAt = record.position();
                    continue;
                }
                for (var part : record.elements().entrySet()) {
                    Cell cell = cells.get(part.getKey());
                    if (cell == null) {
                        continue;
                    }
                    CellRun run = runs.computeIfAbsent(
                            part.getKey(),
                            key -> new CellRun(
                                    this,
                                    lane,
                                    cell,
                                    time,
                                    condemned,
                                    oneRecordUnits.contains(key),
                                    dueTimers(cell, time)));
                    if (run.covers(record.position())) {
                        duplicates++;
                    } else {
                        run.absorb(record.input(), part.getValue());
                    }
                }
            }
            return unitsOf(runs, stoppedAt, duplicates);
        } catch (RecordFailure failure) {
            return new RunResult(Map.of(), failure, stoppedAt, duplicates);
        }
    }

    /** Seals all units. Of several keys whose state cannot be stored, the first record in lane order is the failed one. */
    private static RunResult unitsOf(Map<String, CellRun> runs, @Nullable Position stoppedAt, int duplicates) {
        Map<String, List<Unit>> units = new LinkedHashMap<>();
        RecordFailure first = null;
        for (var run : runs.entrySet()) {
            try {
                units.put(run.getKey(), run.getValue().units());
            } catch (RecordFailure failure) {
                first = first == null || failure.position().compareTo(first.position()) < 0 ? failure : first;
            }
        }
        return new RunResult(first == null ? units : Map.of(), first, stoppedAt, duplicates);
    }

    /**
     * Runs a dead letter's record over its cells, whose fences it neither asks nor moves: one unit a key, all of which
     * commit in one transaction with the change of the dead letter's row.
     *
     * @param record the record, routed for this run
     * @param cells the cell of each key that shall absorb its part; parts of other keys are left out
     * @throws RecordFailure if the code throws again, or one transaction cannot take it all
     */
    public List<Unit> redrive(Redrive redrive, StageTime time, RoutedRecord record, Map<String, Cell> cells)
            throws RecordFailure {
        registry.setTime(time.clock());
        return new RedriveRun(this, redrive, time).units(record, cells);
    }

    /**
     * Fires the timers of a cell that are due, in their order.
     *
     * @return the units, in the order in which they must commit; none if no timer is due
     * @throws TimerFailure if a timer throws, or its effects can never be stored; nothing may be committed then
     */
    public List<Unit> fireTimers(Cell cell, StageTime time) throws TimerFailure {
        return fireTimers(cell, time, dueTimers(cell, time));
    }

    /**
     * Fires one timer of a cell alone, so that what becomes of it is known to be its own doing.
     *
     * @throws TimerFailure as {@link #fireTimers}
     */
    public Unit fireTimer(Cell cell, StageTime time, Timer timer) throws TimerFailure {
        return fireTimers(cell, time, List.of(timer)).get(0);
    }

    private List<Unit> fireTimers(Cell cell, StageTime time, List<Timer> timers) throws TimerFailure {
        registry.setTime(time.clock());
        return new CellRun(this, null, cell, time, new Condemned(), false, timers).unitsOfTimers();
    }

    /** The timers of a cell that are due, in the order in which they fire. */
    public List<Timer> dueTimers(Cell cell, StageTime time) {
        return rules.due(cell.time(), time);
    }

    /**
     * The unit that counts the failure of a cell's timer, or gives the timer up: then it is a dead letter in the same unit,
     * and goes.
     *
     * @param giveUp the dead letter that it becomes; null if it is tried again
     */
    public Unit timerFailed(Cell cell, Timer timer, @Nullable DeadLetter giveUp) {
        CellTime after =
                giveUp == null ? cell.time().withFailure(timer) : cell.time().without(timer);
        Cell failed = cell.withTime(rules.version(cell, nonces), after);
        return new Unit(
                plan.source().stream(),
                null,
                cell,
                failed,
                CellItems.toItem(failed),
                after.timers().isEmpty() ? registry.expiry(failed.states()) : null,
                0,
                List.of(),
                0,
                0,
                List.of(),
                giveUp == null ? List.of() : List.of(giveUp));
    }

    /** The unit that registers a timer again which was given up. */
    public Unit timerRegistered(Cell cell, Timer timer) {
        Cell registered = cell.withTime(rules.version(cell, nonces), cell.time().with(timer));
        return new Unit(
                plan.source().stream(),
                null,
                cell,
                registered,
                CellItems.toItem(registered),
                null,
                0,
                List.of(),
                0,
                0,
                List.of(),
                List.of());
    }

    Segment newSegment(@Nullable Lane lane, Cell cell, StageTime time) {
        return new Segment(rules, plan.source().stream(), lane, cell, time, rules.contents(cell, registry));
    }

    Unit seal(Segment segment) {
        return segment.seal(registry, rules.version(segment.base(), nonces));
    }

    boolean mayAbsorb(Cell cell, Redrive redrive) {
        return rules.mayAbsorb(cell, redrive);
    }

    Unit sealRedriven(Segment segment, Redrive redrive) {
        return segment.sealRedriven(registry, rules.version(segment.base(), nonces), redrive);
    }

    @Nullable
    DeadLetter deadLetter(Condemned condemned, Lane lane, InputRecord record, String key) {
        return rules.deadLetter(condemned, lane, record, key);
    }

    /** A key's elements of a record, decoded afresh. */
    List<RoutedRecord.Element> elementsOf(InputRecord record, String key) throws RecordFailure {
        List<RoutedRecord.Element> elements = route(record).elements().get(key);
        if (elements == null) {
            throw new RecordFailure(
                    RecordFailure.Kind.KEY_UNKNOWN,
                    record.position(),
                    key,
                    new MillraceException("The functions before the state gave another key when they were run again."
                            + " They must give the same each time."));
        }
        return elements;
    }

    /** Runs the function over a key's elements of a record, repeated ones left out, and its results to the sinks. */
    List<Row> runFunction(Segment segment, String key, InputRecord record, List<RoutedRecord.Element> elements)
            throws RecordFailure {
        RowCollector out = new RowCollector(plan.outputs());
        registry.show(segment.contents());
        try {
            for (RoutedRecord.Element element : elements) {
                if (seenIds == null || seenIds.isFirst(element.value(), record.arrival())) {
                    context.begin(new CallContext.Call(element.key(), element.timestamp(), null, segment, out));
                    plan.function().processElement(element.value(), context, out);
                }
            }
            return out.rows();
        } catch (Throwable e) {
            RecordFailure.throwIfNotOfRecord(e);
            throw failure(record.position(), key, e);
        } finally {
            out.close();
            context.end();
            registry.show(null);
        }
    }

    /** Runs the function over a timer, which goes, and its results to the sinks. */
    List<Row> fireTimer(Segment segment, String key, Timer timer) throws TimerFailure {
        RowCollector out = new RowCollector(plan.outputs());
        registry.show(segment.contents());
        try {
            rules.fired(segment, timer);
            context.begin(new CallContext.Call(plan.keyCodec().decode(key), timer.time(), timer, segment, out));
            plan.function().onTimer(timer.time(), context, out);
            return out.rows();
        } catch (Throwable e) {
            RecordFailure.throwIfNotOfRecord(e);
            throw new TimerFailure(timer, e);
        } finally {
            out.close();
            context.end();
            registry.show(null);
        }
    }

    RecordFailure failure(Position position, String key, Throwable cause) {
        RecordFailure.Kind kind = cause instanceof UnacceptableException
                ? RecordFailure.Kind.UNACCEPTABLE
                : RecordFailure.Kind.FUNCTION_THREW;
        return new RecordFailure(kind, position, key, cause);
    }
}
