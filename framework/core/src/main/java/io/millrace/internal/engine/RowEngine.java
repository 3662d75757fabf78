package io.millrace.internal.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.internal.item.Row;
import io.millrace.internal.item.UnacceptableException;
import io.millrace.internal.plan.OutputPlan;
import io.millrace.internal.plan.RowStagePlan;
import io.millrace.internal.plan.Step;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * The engine of a stage without state: a step from stored rows and records to writes of rows, with no I/O, clock or
 * randomness of its own. All user code runs when a record is routed; a run only merges what came of it. Not thread-safe.
 */
public final class RowEngine {
    private final RowStagePlan plan;
    private final Supplier<String> nonces;
    private final EngineRules rules;

    /**
     * The engine of a stage.
     *
     * @param nonces gives a new nonce at each call
     */
    public RowEngine(RowStagePlan plan, Supplier<String> nonces, EngineRules rules) {
        this.plan = plan;
        this.nonces = nonces;
        this.rules = rules;
    }

    /** The stage that it runs. */
    public RowStagePlan plan() {
        return plan;
    }

    /** Decodes a record and runs it through the steps and the sinks; changes of one row come to one. */
    public RowRecord route(InputRecord record) throws RecordFailure {
        List<Object> decoded = Decoding.decode(plan.source(), record);
        Map<String, Row> rows = new LinkedHashMap<>();
        try {
            for (Object value : decoded) {
                Step.applyAll(plan.steps(), value, element -> {
                    for (OutputPlan output : plan.outputs()) {
                        Row row = output.sink().row(element);
                        rows.merge(row.identity().text(), row, this.rules::merged);
                    }
                });
            }
            rows.values().forEach(Row::checkFits);
        } catch (Throwable e) {
            RecordFailure.throwIfNotOfRecord(e);
            throw new RecordFailure(
                    e instanceof UnacceptableException
                            ? RecordFailure.Kind.UNACCEPTABLE
                            : RecordFailure.Kind.FUNCTION_THREW,
                    record.position(),
                    null,
                    e);
        }
        return new RowRecord(record, rows);
    }

    /**
     * What a row's item remembers for a generation.
     *
     * @throws MillraceException if a fence entry is none
     */
    public StoredRow stored(ObjectNode item, long generation) {
        boolean counts = rules.isFenceCounted(item.path(Row.GENERATION).asLong(), generation);
        Map<String, Position> fence = new TreeMap<>();
        Set<String> outdated = new TreeSet<>();
        for (Map.Entry<String, JsonNode> attribute : item.properties()) {
            String name = attribute.getKey();
            if (!name.startsWith(Row.FENCE_PREFIX)) {
                continue;
            }
            if (counts) {
                fence.put(name.substring(Row.FENCE_PREFIX.length()), position(name, attribute.getValue()));
            } else {
                outdated.add(name);
            }
        }
        return new StoredRow(item.path(Row.VERSION).textValue(), Fence.of(fence), outdated);
    }

    private static Position position(String name, JsonNode value) {
        try {
            return Position.decode(value.isBinary() ? value.binaryValue() : new byte[0]);
        } catch (IOException e) {
            throw new MillraceException("The fence entry " + name + " of a row cannot be read.", e);
        }
    }

    /**
     * Merges what records make of rows, in lane order. Nothing of a result with a failure may be committed.
     *
     * @param stored what each row that may be changed remembers; changes of other rows are left out
     * @param oneRecordUnits the rows whose records each become a unit of their own
     */
    public RowRunResult run(
            Lane lane, List<RowRecord> records, Map<String, StoredRow> stored, Set<String> oneRecordUnits) {
        Map<String, RowRun> runs = new LinkedHashMap<>();
        int duplicates = 0;
        try {
            for (RowRecord record : records) {
                for (var change : record.rows().entrySet()) {
                    StoredRow before = stored.get(change.getKey());
                    if (before == null) {
                        continue;
                    }
                    RowRun run = runs.computeIfAbsent(
                            change.getKey(),
                            key -> new RowRun(lane, before, rules, nonces, oneRecordUnits.contains(key)));
                    if (run.covers(record.position())) {
                        duplicates++;
                    } else {
                        run.absorb(record.position(), change.getValue());
                    }
                }
            }
        } catch (RecordFailure failure) {
            return new RowRunResult(Map.of(), failure, duplicates);
        }
        Map<String, List<RowUnit>> units = new LinkedHashMap<>();
        runs.forEach((key, run) -> units.put(key, run.units()));
        return new RowRunResult(units, null, duplicates);
    }
}
