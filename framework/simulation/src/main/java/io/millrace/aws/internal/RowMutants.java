package io.millrace.aws.internal;

import io.millrace.ErrorPolicy;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.internal.engine.RowUnit;
import io.millrace.internal.item.Row;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Shells that break one rule each of rows: of those that carry their own fences, and of deleted ones. A comment says which
 * interleaving makes the result wrong.
 */
public final class RowMutants {
    private RowMutants() {}

    /** A row is written whatever its version is. Wrong when two lanes read it at the same time: one's change is lost. */
    public static ShellRules rowVersionNotCompared() {
        return new ShellRules() {
            @Override
            RowExpression fencedRowCondition(RowExpression expression, RowUnit unit, long generation) {
                return expression.andGenerationUpTo(generation).andFenceBelow(unit.lane(), unit.last(), generation);
            }
        };
    }

    /** A deleted row is stored without the marks of a stub. Wrong at once: readers take it for a row, and it never goes. */
    public static ShellRules deletedRowWithoutMarks() {
        return new ShellRules() {
            @Override
            Map<String, AttributeValue> storedRow(RowWrites writes, Row row, long generation, String stream) {
                return writes.putItem(row, generation);
            }
        };
    }

    /** A set leaves a stub's marks. Wrong when a row is set that was deleted: readers pass over it, and it expires. */
    public static ShellRules stubMarksKept() {
        return new ShellRules() {
            @Override
            List<String> stubMarkers() {
                return List.of();
            }
        };
    }

    /**
     * A record without cells is given up as the policy says. Wrong when the process dies once beside it for another reason:
     * some of its rows may be written.
     */
    public static ShellRules givenUpWithoutCellsAtOnce() {
        return new ShellRules() {
            @Override
            boolean isGivenUpWithoutCells(LaneRecord.AloneRecord alone, ErrorPolicy policy) {
                return alone.keyless() || (alone.open() && policy.exhausted(alone.attempts()));
            }
        };
    }
}
