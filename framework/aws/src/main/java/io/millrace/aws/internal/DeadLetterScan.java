package io.millrace.aws.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;

/** The scan of a table for dead letters, without their payloads. */
final class DeadLetterScan {
    /** All but the payload. */
    private static final List<String> ATTRIBUTES = List.of(
            "pk",
            "sk",
            "stage",
            "generation",
            "status",
            "kind",
            "key",
            "error",
            "attempts",
            "arrival",
            "time",
            "tried",
            "closed",
            "after",
            "payload_parts",
            DeadLetterRows.WRITER,
            DeadLetterRows.TIME_TO_LIVE);

    private DeadLetterScan() {}

    /** Parts of payloads have no generation, so the filter leaves them out. */
    static ScanRequest of(String table, long generation, Map<String, String> wanted) {
        Map<String, String> names = new HashMap<>();
        ATTRIBUTES.forEach(name -> names.put("#" + name, name));
        Map<String, AttributeValue> values = new HashMap<>();
        List<String> conditions = new ArrayList<>(List.of("#generation = :generation"));
        values.put(":generation", Items.number(generation));
        wanted.forEach((name, value) -> {
            conditions.add("#" + name + " = :" + name);
            values.put(":" + name, Items.text(value));
        });
        return ScanRequest.builder()
                .tableName(table)
                .consistentRead(true)
                .filterExpression(String.join(" AND ", conditions))
                .projectionExpression("#" + String.join(", #", ATTRIBUTES))
                .expressionAttributeNames(names)
                .expressionAttributeValues(values)
                .build();
    }
}
