package io.millrace.aws.internal;

import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.Unit;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The condition under which a unit's cell is written. Not thread-safe while it is built. */
final class CellCondition {
    private static final String FENCE_LOWER = "(attribute_not_exists(#f.#l) OR #f.#l < :p)";

    private final Map<String, String> names = new HashMap<>();
    private final Map<String, AttributeValue> values = new HashMap<>();
    private String expression;

    /** The lane has no entry in the cell's fence, or one below the unit's last record; not asked if no lane has a part in it. */
    static CellCondition fenceBelowLastOf(Unit unit) {
        CellCondition condition = new CellCondition();
        Unit.Progress progress = unit.progress();
        if (progress == null) {
            condition.expression = "";
            return condition;
        }
        condition.names.put("#f", CellItems.FENCE);
        condition.names.put("#l", progress.lane().fenceName());
        condition.values.put(
                ":p",
                AttributeValue.fromB(SdkBytes.fromByteArray(progress.last().encode())));
        return condition;
    }

    /** The cell has the version that was read, or is still absent if none was; its fence is not asked. */
    static CellCondition versionBefore(Unit unit) {
        CellCondition condition = new CellCondition();
        condition.expression = "";
        return condition.andVersion(unit.before().version());
    }

    /** Any cell passes, and none. */
    static CellCondition always() {
        CellCondition condition = new CellCondition();
        condition.names.put("#k", CellItems.PARTITION_KEY);
        condition.expression = "(attribute_exists(#k) OR attribute_not_exists(#k))";
        return condition;
    }

    private CellCondition() {
        this.expression = FENCE_LOWER;
    }

    /** And the cell has the version that was read, or is still absent if none was. */
    CellCondition andVersion(@Nullable String versionRead) {
        if (versionRead == null) {
            names.put("#k", CellItems.PARTITION_KEY);
            expression = "attribute_not_exists(#k)" + and(expression);
        } else {
            names.put("#v", CellItems.VERSION);
            values.put(":v", Items.text(versionRead));
            expression = "#v = :v" + and(expression);
        }
        return this;
    }

    private static String and(String expression) {
        return expression.isEmpty() ? "" : " AND " + expression;
    }

    String expression() {
        return expression;
    }

    Map<String, String> names() {
        return names;
    }

    Map<String, AttributeValue> values() {
        return values;
    }
}
