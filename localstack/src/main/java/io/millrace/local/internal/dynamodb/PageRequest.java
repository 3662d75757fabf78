package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.dynamodb.CapacityUnits.ReadConsistency;
import io.millrace.local.internal.dynamodb.SecondaryIndex.ProjectionType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What Query and Scan have in common: the table or index, a filter, what to answer, and where the page begins and ends.
 *
 * @param limit how many items may be looked at, or null
 * @param startKey the key behind which the page begins, or null
 */
record PageRequest(
        String tableName,
        @Nullable String indexName,
        @Nullable Condition filter,
        @Nullable Projection projection,
        Select select,
        ReadConsistency consistency,
        @Nullable Integer limit,
        @Nullable MapValue startKey) {
    private static final String FILTER = ExpressionKind.FILTER.parameter();
    private static final String PROJECTION = ExpressionKind.PROJECTION.parameter();

    /** What is answered of each item. */
    enum Select {
        DEFAULT,
        ALL_ATTRIBUTES,
        ALL_PROJECTED_ATTRIBUTES,
        SPECIFIC_ATTRIBUTES,
        COUNT
    }

    static PageRequest read(Request request, Bindings bindings, ExpressionCache cache) {
        request.refuseLegacy("AttributesToGet", "ConditionalOperator", "QueryFilter", "ScanFilter", "KeyConditions");
        String indexName = request.text("IndexName");
        Condition filter = null;
        String filterText = request.text(FILTER);
        if (filterText != null) {
            filter = bindings.bind(ExpressionKind.FILTER, cache.condition(ExpressionKind.FILTER, filterText));
            new ConditionCheck(ExpressionKind.FILTER).check(filter);
        }
        Projection projection = ReadAction.projection(request, bindings, cache);
        Select select = select(request, projection, indexName);
        ReadConsistency consistency = ReadConsistency.of(request.flag("ConsistentRead"));
        if (indexName != null && consistency == ReadConsistency.STRONG) {
            throw ServiceErrors.validation("Consistent reads are not supported on global secondary indexes");
        }
        ObjectNode start = request.object("ExclusiveStartKey");
        return new PageRequest(
                request.tableName(),
                indexName,
                filter,
                projection,
                select,
                consistency,
                request.positive("Limit"),
                start == null ? null : ValueReader.item(start));
    }

    private static Select select(Request request, @Nullable Projection projection, @Nullable String indexName) {
        if (!request.has("Select")) {
            return Select.DEFAULT;
        }
        Select select = Select.valueOf(request.choice(
                "Select", List.of("SPECIFIC_ATTRIBUTES", "COUNT", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES")));
        if (projection != null && select != Select.SPECIFIC_ATTRIBUTES) {
            String answered = select == Select.COUNT ? "only the Count" : select.name();
            throw ServiceErrors.validation("Cannot specify the " + PROJECTION + " when choosing to get " + answered);
        }
        if (projection == null && select == Select.SPECIFIC_ATTRIBUTES) {
            throw ServiceErrors.validation(
                    "Must specify the AttributesToGet or " + PROJECTION + " when choosing to get SPECIFIC_ATTRIBUTES");
        }
        if (indexName == null && select == Select.ALL_PROJECTED_ATTRIBUTES) {
            throw ServiceErrors.validation(
                    "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");
        }
        return select;
    }

    /** Refuses what the index does not hold. */
    void requireProjected(SecondaryIndex index) {
        if (select == Select.ALL_ATTRIBUTES && index.projectionType() != ProjectionType.ALL) {
            throw ServiceErrors.invalidParameters(
                    "Select type ALL_ATTRIBUTES is not supported for global secondary index " + index.name()
                            + " because its projection type is not ALL");
        }
        if (projection != null) {
            List<String> missing = projection.paths().stream()
                    .map(Path::attribute)
                    .filter(attribute -> !index.projects(attribute))
                    .distinct()
                    .toList();
            if (!missing.isEmpty()) {
                throw ServiceErrors.invalidParameters(
                        "Global secondary index " + index.name() + " does not project " + missing);
            }
        }
    }

    boolean countsOnly() {
        return select == Select.COUNT;
    }
}
