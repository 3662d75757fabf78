package io.millrace.local.internal.dynamodb;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One write, or one check of a transaction, read from its request and not yet carried out.
 *
 * @param document the item of a put, the key of all others
 * @param condition what must hold for the item as it is, or null
 * @param returnItem whether a failed condition answers the item that failed it
 */
record WriteAction(
        Kind kind,
        String tableName,
        MapValue document,
        @Nullable Condition condition,
        @Nullable UpdateExpression update,
        boolean returnItem) {
    private static final String CONDITION = ExpressionKind.CONDITION.parameter();
    private static final String UPDATE = ExpressionKind.UPDATE.parameter();
    private static final String TOO_LARGE_MESSAGE = "Item size has exceeded the maximum allowed size";
    private static final String UPDATED_TOO_LARGE_MESSAGE = "Item size to update has exceeded the maximum allowed size";

    /** What an action does. */
    enum Kind {
        PUT("Item"),
        UPDATE("Key"),
        DELETE("Key"),
        CHECK("Key");

        private final String documentMember;

        Kind(String documentMember) {
            this.documentMember = documentMember;
        }

        private List<ExpressionKind> expressions() {
            return this == UPDATE
                    ? List.of(ExpressionKind.UPDATE, ExpressionKind.CONDITION)
                    : List.of(ExpressionKind.CONDITION);
        }
    }

    /** The outcome of looking at an action and the table, before anything changes. */
    sealed interface Plan {}

    /** The condition holds; this is what the action changes. */
    record Ready(Change change) implements Plan {}

    /** The condition does not hold for this item, or for its absence. */
    record Refused(StoredKey key, @Nullable MapValue item) implements Plan {}

    static WriteAction read(Kind kind, Request request, ExpressionCache cache) {
        String tableName = request.tableName();
        request.refuseLegacy("Expected", "AttributeUpdates", "ConditionalOperator");
        Bindings bindings = Bindings.of(request, kind.expressions());
        UpdateExpression update = null;
        String updateText = kind == Kind.UPDATE ? request.text(UPDATE) : null;
        if (updateText != null) {
            update = bindings.bind(cache.update(updateText));
            UpdateCheck.check(update);
        }
        Condition condition = null;
        String conditionText = kind == Kind.CHECK ? request.requiredText(CONDITION) : request.text(CONDITION);
        if (conditionText != null) {
            condition =
                    bindings.bind(ExpressionKind.CONDITION, cache.condition(ExpressionKind.CONDITION, conditionText));
            new ConditionCheck(ExpressionKind.CONDITION).check(condition);
        }
        bindings.requireAllUsed();
        boolean returnItem = request.choice("ReturnValuesOnConditionCheckFailure", List.of("NONE", "ALL_OLD"))
                .equals("ALL_OLD");
        MapValue document = ValueReader.item(request.requiredObject(kind.documentMember));
        return new WriteAction(kind, tableName, document, condition, update, returnItem);
    }

    /** A put or delete without condition, as batches have them. */
    static WriteAction unconditional(Kind kind, String tableName, Request request) {
        MapValue document = ValueReader.item(request.requiredObject(kind.documentMember));
        return new WriteAction(kind, tableName, document, null, null, false);
    }

    /** The key of the item in the table; refuses documents that do not fit the schema. */
    StoredKey key(Table table) {
        return kind == Kind.PUT
                ? table.keys().ofNewItem(document)
                : table.keys().ofRequest(document);
    }

    /** Decides what the action would change; throws for what is invalid whatever the condition says. */
    Plan plan(Table table) {
        StoredKey key = key(table);
        if (kind == Kind.PUT) {
            table.requireStorable(document, TOO_LARGE_MESSAGE);
        }
        if (update != null) {
            requireKeysUntouched(update, table.keys());
        }
        MapValue before = table.get(key);
        if (condition != null && !ConditionEvaluator.test(condition, before == null ? MapValue.EMPTY : before)) {
            return new Refused(key, before);
        }
        return new Ready(new Change(key, before, after(table, before)));
    }

    private @Nullable MapValue after(Table table, @Nullable MapValue before) {
        return switch (kind) {
            case PUT -> document;
            case DELETE -> null;
            case CHECK -> before;
            case UPDATE -> {
                MapValue base = before == null ? document : before;
                MapValue after = update == null ? base : UpdateEvaluator.apply(update, base);
                table.requireStorable(after, UPDATED_TOO_LARGE_MESSAGE);
                yield after;
            }
        };
    }

    private static void requireKeysUntouched(UpdateExpression update, KeySchema keys) {
        for (Path path : update.paths()) {
            if (keys.contains(path.attribute())) {
                throw ServiceErrors.invalidParameters(
                        "Cannot update attribute " + path.attribute() + ". This attribute is part of the key");
            }
        }
    }

    /** What the action counts against the size of a transaction: the item that it leaves, or the key that it names. */
    int transactionBytes(Change change) {
        MapValue counted = kind == Kind.DELETE || kind == Kind.CHECK ? document : change.after();
        return counted == null ? 0 : counted.itemSizeBytes();
    }
}
