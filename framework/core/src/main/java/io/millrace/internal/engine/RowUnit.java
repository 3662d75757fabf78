package io.millrace.internal.engine;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.internal.item.Row;
import java.util.Set;
import java.util.TreeSet;

/**
 * One write of a row of a stage without state: what becomes of it by some records, and the fence that tells so.
 *
 * @param row the change, of all its records merged
 * @param before the row that it was computed for
 * @param after what the row remembers then
 * @param last the last record in it
 * @param records how many records are in it
 */
public record RowUnit(Lane lane, Row row, StoredRow before, StoredRow after, Position last, int records) {

    /** The fence as attributes, and the version. */
    public ObjectNode memory() {
        ObjectNode memory = row.attributes().objectNode();
        memory.put(Row.VERSION, after.version());
        after.fence()
                .positions()
                .forEach((lane, position) -> memory.put(StoredRow.fenceAttribute(lane), position.encode()));
        return memory;
    }

    /** The attributes of fence entries that must go, should the row be changed in place. */
    public Set<String> forgotten() {
        Set<String> forgotten = new TreeSet<>(before.outdated());
        before.fence().positions().keySet().forEach(lane -> forgotten.add(StoredRow.fenceAttribute(lane)));
        after.fence().positions().keySet().forEach(lane -> forgotten.remove(StoredRow.fenceAttribute(lane)));
        return forgotten;
    }
}
