package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.dynamodb.KeySchema.KeyAttribute;
import io.millrace.local.internal.dynamodb.SecondaryIndex.ProjectionType;
import io.millrace.local.internal.dynamodb.TableDefinition.Billing;
import java.time.Instant;
import java.util.Iterator;

/** Writes the description of a table as DescribeTable answers it. */
final class TableDescription {
    private static final double MILLIS_PER_SECOND = 1_000;

    private TableDescription() {}

    static ObjectNode of(Table table, String status) {
        TableDefinition definition = table.definition();
        ObjectNode description = JsonNodeFactory.instance.objectNode();
        ArrayNode attributes = description.putArray("AttributeDefinitions");
        definition
                .attributes()
                .forEach((name, type) ->
                        attributes.addObject().put("AttributeName", name).put("AttributeType", type.name()));
        description.put("TableName", definition.name());
        putKeys(description, definition.keys());
        description.put("TableStatus", status);
        description.put("CreationDateTime", epochSeconds(definition.created()));
        putBilling(description, definition.billing());
        description.put("TableSizeBytes", table.sizeBytes());
        description.put("ItemCount", table.items().size());
        description.put("TableArn", definition.arn());
        description.put("TableId", definition.id());
        if (definition.billing().payPerRequest()) {
            description
                    .putObject("BillingModeSummary")
                    .put("BillingMode", "PAY_PER_REQUEST")
                    .put("LastUpdateToPayPerRequestDateTime", epochSeconds(definition.created()));
        }
        putIndexes(description, table, status);
        putExtras(description, definition);
        return description;
    }

    private static double epochSeconds(Instant instant) {
        return instant.toEpochMilli() / MILLIS_PER_SECOND;
    }

    private static void putKeys(ObjectNode description, KeySchema keys) {
        ArrayNode schema = description.putArray("KeySchema");
        String keyType = "HASH";
        for (KeyAttribute attribute : keys.attributes()) {
            schema.addObject().put("AttributeName", attribute.name()).put("KeyType", keyType);
            keyType = "RANGE";
        }
    }

    private static void putBilling(ObjectNode description, Billing billing) {
        description
                .putObject("ProvisionedThroughput")
                .put("NumberOfDecreasesToday", 0)
                .put("ReadCapacityUnits", billing.readUnits())
                .put("WriteCapacityUnits", billing.writeUnits());
    }

    private static void putIndexes(ObjectNode description, Table table, String status) {
        if (table.indexes().isEmpty()) {
            return;
        }
        Iterator<TableDefinition.IndexDefinition> definitions =
                table.definition().indexes().iterator();
        ArrayNode indexes = description.putArray("GlobalSecondaryIndexes");
        for (SecondaryIndex index : table.indexes()) {
            ObjectNode document = indexes.addObject();
            document.put("IndexName", index.name());
            putKeys(document, index.keys());
            ObjectNode projection = document.putObject("Projection");
            projection.put("ProjectionType", index.projectionType().name());
            if (index.projectionType() == ProjectionType.INCLUDE) {
                ArrayNode names = projection.putArray("NonKeyAttributes");
                index.nonKeyAttributes().forEach(names::add);
            }
            document.put("IndexStatus", status);
            putBilling(document, definitions.next().billing());
            document.put("IndexSizeBytes", index.sizeBytes());
            document.put("ItemCount", index.entries().size());
            document.put("IndexArn", table.definition().arn() + "/index/" + index.name());
        }
    }

    private static void putExtras(ObjectNode description, TableDefinition definition) {
        Request extras = new Request(definition.extras());
        description.put("DeletionProtectionEnabled", extras.flag("DeletionProtectionEnabled"));
        ObjectNode stream = extras.object("StreamSpecification");
        if (stream != null && stream.path("StreamEnabled").asBoolean()) {
            String label = definition.created().toString();
            description.set("StreamSpecification", stream.deepCopy());
            description.put("LatestStreamLabel", label);
            description.put("LatestStreamArn", definition.arn() + "/stream/" + label);
        }
        ObjectNode encryption = extras.object("SSESpecification");
        if (encryption != null && encryption.path("Enabled").asBoolean()) {
            description.putObject("SSEDescription").put("Status", "ENABLED").put("SSEType", "KMS");
        }
        String tableClass = extras.text("TableClass");
        if (tableClass != null) {
            description.putObject("TableClassSummary").put("TableClass", tableClass);
        }
    }
}
