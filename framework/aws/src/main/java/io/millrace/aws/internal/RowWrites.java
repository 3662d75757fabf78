package io.millrace.aws.internal;

import io.millrace.internal.item.Row;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;
import software.amazon.awssdk.services.dynamodb.model.Update;

/** The writes of rows in the transactions of their cells, and what rows are stored as. Thread-safe. */
final class RowWrites {
    private final StreamRetention retention;
    private final Surroundings surroundings;
    private final ShellRules rules;

    RowWrites(StreamRetention retention, Surroundings surroundings, ShellRules rules) {
        this.retention = retention;
        this.surroundings = surroundings;
        this.rules = rules;
    }

    /** The write of a row by a stage with state. */
    TransactWriteItem ofKeyedStage(Row row, long generation, String stream) {
        RowExpression expression = rules.rowCondition(new RowExpression(), generation);
        if (row.action() == Row.Action.SET) {
            return TransactWriteItem.builder()
                    .update(update(row, generation, expression))
                    .build();
        }
        Map<String, AttributeValue> item = rules.storedRow(this, row, generation, stream);
        return TransactWriteItem.builder()
                .put(Put.builder()
                        .tableName(row.table())
                        .item(item)
                        .conditionExpression(expression.condition())
                        .expressionAttributeNames(expression.names())
                        .expressionAttributeValues(expression.values())
                        .build())
                .build();
    }

    private Update update(Row row, long generation, RowExpression expression) {
        expression.set(Row.GENERATION, Items.number(generation));
        setAttributes(row, expression);
        return Update.builder()
                .tableName(row.table())
                .key(key(row))
                .updateExpression(expression.update())
                .conditionExpression(expression.condition())
                .expressionAttributeNames(expression.names())
                .expressionAttributeValues(expression.values())
                .build();
    }

    /** What a set changes of a row beside Millrace's own attributes; a deleted row is none any more. */
    void setAttributes(Row row, RowExpression expression) {
        row.attributes().properties().forEach(attribute -> {
            if (isKey(row, attribute.getKey())) {
                return;
            }
            if (attribute.getValue().isNull()) {
                expression.remove(attribute.getKey());
            } else {
                expression.set(attribute.getKey(), Items.toAttribute(attribute.getValue()));
            }
        });
        rules.stubMarkers().forEach(expression::remove);
    }

    private static boolean isKey(Row row, String attribute) {
        return attribute.equals(row.partitionKey().attribute())
                || (row.sortKey() != null && attribute.equals(row.sortKey().attribute()));
    }

    /** The key of a row. */
    static Map<String, AttributeValue> key(Row row) {
        Map<String, AttributeValue> key = new HashMap<>();
        key.put(row.partitionKey().attribute(), keyAttribute(row, row.partitionKey()));
        if (row.sortKey() != null) {
            key.put(row.sortKey().attribute(), keyAttribute(row, row.sortKey()));
        }
        return key;
    }

    private static AttributeValue keyAttribute(Row row, Row.Key key) {
        return Items.toAttribute(Objects.requireNonNull(row.attributes().get(key.attribute())));
    }

    /** The item of a row that is put. */
    Map<String, AttributeValue> putItem(Row row, long generation) {
        Map<String, AttributeValue> item = new HashMap<>(Items.toAttributes(row.attributes()));
        item.put(Row.GENERATION, Items.number(generation));
        return item;
    }

    /** The item that a deleted row leaves: its key, and what tells older writers and readers that it is gone. */
    Map<String, AttributeValue> stubItem(Row row, long generation, String stream) {
        Map<String, AttributeValue> stub = key(row);
        stub.put(Row.GENERATION, Items.number(generation));
        stub.put(Row.DELETED, AttributeValue.fromBool(true));
        Instant expiry = rules.tombstoneExpiry(surroundings.clock().instant(), retention.of(stream));
        stub.put(Row.TIME_TO_LIVE, Items.number(expiry.getEpochSecond()));
        return stub;
    }
}
