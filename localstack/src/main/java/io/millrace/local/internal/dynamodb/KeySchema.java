package io.millrace.local.internal.dynamodb;

import io.millrace.local.internal.AwsServiceException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The partition key and the optional sort key of a table or of an index. */
record KeySchema(KeyAttribute partition, @Nullable KeyAttribute sort) {
    static final int PARTITION_KEY_BYTES_MAX = 2_048;
    static final int SORT_KEY_BYTES_MAX = 1_024;

    /** A key attribute with its declared type. */
    record KeyAttribute(String name, AttributeType type) {}

    List<KeyAttribute> attributes() {
        return sort == null ? List.of(partition) : List.of(partition, sort);
    }

    List<String> names() {
        List<String> names = new ArrayList<>();
        attributes().forEach(attribute -> names.add(attribute.name()));
        return names;
    }

    boolean contains(String name) {
        return partition.name().equals(name) || (sort != null && sort.name().equals(name));
    }

    /** The key of an item that is to be stored in a table of this schema. */
    StoredKey ofNewItem(MapValue item) {
        for (KeyAttribute attribute : attributes()) {
            Value value = item.get(attribute.name());
            if (value == null) {
                throw ServiceErrors.invalidParameters("Missing the key " + attribute.name() + " in the item");
            }
            if (value.type() != attribute.type()) {
                throw ServiceErrors.invalidParameters("Type mismatch for key " + attribute.name() + " expected: "
                        + attribute.type() + " actual: " + value.type());
            }
        }
        return checked(item);
    }

    /** The key that a request names: exactly the key attributes, with the right types. */
    StoredKey ofRequest(MapValue key) {
        if (!matches(key)) {
            throw ServiceErrors.keySchemaMismatch();
        }
        return checked(key);
    }

    /** Whether the document is made of exactly this schema's attributes. */
    boolean matches(MapValue key) {
        List<KeyAttribute> attributes = attributes();
        return key.count() == attributes.size()
                && attributes.stream().allMatch(attribute -> hasType(key.get(attribute.name()), attribute));
    }

    static boolean hasType(@Nullable Value value, KeyAttribute attribute) {
        return value != null && value.type() == attribute.type();
    }

    private StoredKey checked(MapValue item) {
        Value partitionValue = required(item, partition);
        requireNotEmpty(partitionValue, partition.name());
        requirePartitionSize(partitionValue);
        Value sortValue = null;
        if (sort != null) {
            sortValue = required(item, sort);
            requireNotEmpty(sortValue, sort.name());
            requireSortSize(sortValue);
        }
        return StoredKey.of(partitionValue, sortValue, null);
    }

    private static Value required(MapValue item, KeyAttribute attribute) {
        Value value = item.get(attribute.name());
        if (value == null) {
            throw ServiceErrors.keySchemaMismatch();
        }
        return value;
    }

    private static void requireNotEmpty(Value value, String name) {
        if (isEmpty(value)) {
            throw ServiceErrors.validation("One or more parameter values are not valid. The AttributeValue for a key "
                    + "attribute cannot contain an empty " + kind(value) + " value. Key: " + name);
        }
    }

    static boolean isEmpty(Value value) {
        return value.type() != AttributeType.N && value.sizeBytes() == 0;
    }

    static String kind(Value value) {
        return value.type() == AttributeType.B ? "binary" : "string";
    }

    private static void requirePartitionSize(Value value) {
        if (value.sizeBytes() > PARTITION_KEY_BYTES_MAX) {
            throw ServiceErrors.invalidParameters(
                    "Size of hashkey has exceeded the maximum size limit of" + PARTITION_KEY_BYTES_MAX + " bytes");
        }
    }

    private static void requireSortSize(Value value) {
        if (value.sizeBytes() > SORT_KEY_BYTES_MAX) {
            throw ServiceErrors.invalidParameters("Aggregated size of all range keys has exceeded the size limit of "
                    + SORT_KEY_BYTES_MAX + " bytes");
        }
    }

    /** Checks the attributes of an item that are this index's keys; an item without them is just not in the index. */
    void requireIndexable(MapValue item, String indexName) {
        for (KeyAttribute attribute : attributes()) {
            Value value = item.get(attribute.name());
            if (value == null) {
                continue;
            }
            if (value.type() != attribute.type()) {
                throw ServiceErrors.invalidParameters("Type mismatch for Index Key " + attribute.name() + " Expected: "
                        + attribute.type() + " Actual: " + value.type() + " IndexName: " + indexName);
            }
            if (isEmpty(value)) {
                throw emptyIndexKey(attribute, value, indexName);
            }
        }
        Value partitionValue = item.get(partition.name());
        if (partitionValue != null) {
            requirePartitionSize(partitionValue);
        }
        Value sortValue = sort == null ? null : item.get(sort.name());
        if (sortValue != null) {
            requireSortSize(sortValue);
        }
    }

    private static AwsServiceException emptyIndexKey(KeyAttribute attribute, Value value, String indexName) {
        return ServiceErrors.validation("One or more parameter values are not valid. A value specified for a secondary "
                + "index key is not supported. The AttributeValue for a key attribute cannot contain an empty "
                + kind(value) + " value. IndexName: " + indexName + ", IndexKey: " + attribute.name());
    }

    /** The item's key in an index of this schema, or null when it lacks one of the attributes. */
    @Nullable
    StoredKey inIndex(MapValue item, StoredKey tableKey) {
        Value partitionValue = item.get(partition.name());
        Value sortValue = sort == null ? null : item.get(sort.name());
        if (partitionValue == null || (sort != null && sortValue == null)) {
            return null;
        }
        return StoredKey.of(partitionValue, sortValue, tableKey);
    }
}
