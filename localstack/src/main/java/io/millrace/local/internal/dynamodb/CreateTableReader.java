package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.dynamodb.KeySchema.KeyAttribute;
import io.millrace.local.internal.dynamodb.SecondaryIndex.ProjectionType;
import io.millrace.local.internal.dynamodb.TableDefinition.Billing;
import io.millrace.local.internal.dynamodb.TableDefinition.IndexDefinition;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads and checks a CreateTable request. */
final class CreateTableReader {
    static final int INDEXES_MAX = 20;
    private static final int KEY_ATTRIBUTES_MAX = 2;
    private static final List<String> BILLING_MODES = List.of("PROVISIONED", "PAY_PER_REQUEST");
    private static final List<String> KEY_TYPES = List.of("HASH", "RANGE");
    private static final List<String> EXTRAS =
            List.of("StreamSpecification", "SSESpecification", "DeletionProtectionEnabled", "TableClass", "Tags");

    private final Request request;
    private final boolean payPerRequest;
    private final Map<String, AttributeType> attributes = new LinkedHashMap<>();
    private final Set<String> usedAttributes = new LinkedHashSet<>();

    private CreateTableReader(Request request) {
        this.request = request;
        this.payPerRequest = request.choice("BillingMode", BILLING_MODES).equals("PAY_PER_REQUEST");
    }

    static TableDefinition read(Request request, String arnPrefix, Instant created) {
        return new CreateTableReader(request).read(arnPrefix, created);
    }

    private TableDefinition read(String arnPrefix, Instant created) {
        String name = request.requiredText("TableName");
        Request.requireName(name, "TableName");
        if (request.has("LocalSecondaryIndexes")) {
            throw ServiceErrors.validation(
                    "LocalSecondaryIndexes are not supported by the embedded DynamoDB; use a global secondary index.");
        }
        readAttributes(request.requiredArray("AttributeDefinitions"));
        KeySchema keys = keySchema(request.requiredArray("KeySchema"));
        Billing billing = billing(request, "");
        List<IndexDefinition> indexes = indexes(keys);
        requireAllAttributesUsed(indexes.isEmpty());
        String arn = arnPrefix + ":table/" + name;
        String id = UUID.nameUUIDFromBytes((arn + "@" + created).getBytes(StandardCharsets.UTF_8))
                .toString();
        return new TableDefinition(name, arn, id, created, keys, attributes, billing, indexes, extras());
    }

    private ObjectNode extras() {
        ObjectNode extras = JsonNodeFactory.instance.objectNode();
        for (String member : EXTRAS) {
            if (request.has(member)) {
                extras.set(member, request.document().get(member).deepCopy());
            }
        }
        return extras;
    }

    private void readAttributes(ArrayNode definitions) {
        for (Request definition : Request.parts(definitions)) {
            String name = definition.requiredText("AttributeName");
            definition.requiredText("AttributeType");
            String type = definition.choice("AttributeType", List.of("B", "N", "S"));
            if (attributes.put(name, AttributeType.valueOf(type)) != null) {
                throw ServiceErrors.invalidParameters("Duplicate AttributeName in AttributeDefinitions: " + name);
            }
        }
    }

    private KeySchema keySchema(ArrayNode elements) {
        if (elements.isEmpty() || elements.size() > KEY_ATTRIBUTES_MAX) {
            throw ServiceErrors.constraint(
                    "'" + elements + "'",
                    "keySchema",
                    "Member must have length "
                            + (elements.isEmpty() ? "greater than or equal to 1" : "less than or equal to 2"));
        }
        List<Request> parts = Request.parts(elements);
        KeyAttribute partition = keyAttribute(parts.get(0), "HASH", "first");
        if (parts.size() == 1) {
            return new KeySchema(partition, null);
        }
        KeyAttribute sort = keyAttribute(parts.get(1), "RANGE", "second");
        if (partition.name().equals(sort.name())) {
            throw ServiceErrors.validation(
                    "Both the Hash Key and the Range Key element in the KeySchema have the same name");
        }
        return new KeySchema(partition, sort);
    }

    private KeyAttribute keyAttribute(Request element, String keyType, String place) {
        String name = element.requiredText("AttributeName");
        element.requiredText("KeyType");
        if (!element.choice("KeyType", KEY_TYPES).equals(keyType)) {
            throw ServiceErrors.validation(
                    "Invalid KeySchema: The " + place + " KeySchemaElement is not a " + keyType + " key type");
        }
        AttributeType type = attributes.get(name);
        if (type == null) {
            throw ServiceErrors.invalidParameters("Some index key attributes are not defined in AttributeDefinitions. "
                    + "Keys: [" + name + "], AttributeDefinitions: [" + String.join(", ", attributes.keySet()) + "]");
        }
        usedAttributes.add(name);
        return new KeyAttribute(name, type);
    }

    private Billing billing(Request holder, String index) {
        Request throughput = holder.part("ProvisionedThroughput");
        String where = index.isEmpty() ? "" : " for index: " + index;
        if (payPerRequest) {
            if (throughput != null) {
                throw ServiceErrors.invalidParameters(
                        "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
                                + "when BillingMode is PAY_PER_REQUEST" + where);
            }
            return new Billing(true, 0, 0);
        }
        Integer readUnits = throughput == null ? null : throughput.positive("ReadCapacityUnits");
        Integer writeUnits = throughput == null ? null : throughput.positive("WriteCapacityUnits");
        if (readUnits == null || writeUnits == null) {
            throw ServiceErrors.invalidParameters(
                    "ReadCapacityUnits and WriteCapacityUnits must both be specified when "
                            + "BillingMode is PROVISIONED" + where);
        }
        return new Billing(false, readUnits, writeUnits);
    }

    private List<IndexDefinition> indexes(KeySchema tableKeys) {
        ArrayNode array = request.array("GlobalSecondaryIndexes");
        if (array == null) {
            return List.of();
        }
        if (array.isEmpty()) {
            throw ServiceErrors.invalidParameters("List of GlobalSecondaryIndexes is empty");
        }
        if (array.size() > INDEXES_MAX) {
            throw ServiceErrors.invalidParameters(
                    "GlobalSecondaryIndex count exceeds the per-table limit of " + INDEXES_MAX);
        }
        Set<String> names = new HashSet<>();
        List<IndexDefinition> indexes = new ArrayList<>();
        for (Request part : Request.parts(array)) {
            String name = part.requiredText("IndexName");
            Request.requireName(name, "IndexName");
            if (!names.add(name)) {
                throw ServiceErrors.invalidParameters("Duplicate index name: " + name);
            }
            indexes.add(index(name, part, tableKeys));
        }
        return indexes;
    }

    private IndexDefinition index(String name, Request part, KeySchema tableKeys) {
        KeySchema keys = keySchema(part.requiredArray("KeySchema"));
        Request projection = part.part("Projection");
        if (projection == null || !projection.has("ProjectionType")) {
            throw ServiceErrors.invalidParameters("Unknown ProjectionType: null");
        }
        ProjectionType type =
                ProjectionType.valueOf(projection.choice("ProjectionType", List.of("ALL", "INCLUDE", "KEYS_ONLY")));
        List<String> nonKeyAttributes = nonKeyAttributes(type, projection.array("NonKeyAttributes"));
        return new IndexDefinition(
                () -> new SecondaryIndex(name, keys, tableKeys, type, nonKeyAttributes), billing(part, name));
    }

    private static List<String> nonKeyAttributes(ProjectionType type, @Nullable ArrayNode array) {
        if (type != ProjectionType.INCLUDE) {
            if (array != null) {
                throw ServiceErrors.invalidParameters(
                        "ProjectionType is " + type + ", but NonKeyAttributes is specified");
            }
            return List.of();
        }
        if (array == null || array.isEmpty()) {
            throw ServiceErrors.invalidParameters("ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
        }
        return array.valueStream().map(JsonNode::asText).toList();
    }

    private void requireAllAttributesUsed(boolean withoutIndexes) {
        if (usedAttributes.size() == attributes.size()) {
            return;
        }
        if (withoutIndexes) {
            throw ServiceErrors.invalidParameters("Number of attributes in KeySchema does not exactly match number of "
                    + "attributes defined in AttributeDefinitions");
        }
        throw ServiceErrors.invalidParameters("Some AttributeDefinitions are not used. AttributeDefinitions: ["
                + String.join(", ", attributes.keySet()) + "], keys used: [" + String.join(", ", usedAttributes) + "]");
    }
}
