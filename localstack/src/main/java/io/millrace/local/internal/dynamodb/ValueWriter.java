package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;

/** Writes attribute values in their wire form, as fresh documents that share nothing with the table. */
final class ValueWriter {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private ValueWriter() {}

    static ObjectNode item(MapValue item) {
        ObjectNode document = NODES.objectNode();
        for (int i = 0; i < item.count(); i++) {
            document.set(item.name(i), value(item.value(i)));
        }
        return document;
    }

    static ObjectNode value(Value value) {
        ObjectNode document = NODES.objectNode();
        document.set(value.type().name(), content(value));
        return document;
    }

    private static JsonNode content(Value value) {
        if (value instanceof Value.Text text) {
            return NODES.textNode(text.text());
        }
        if (value instanceof Value.Numeric number) {
            return NODES.textNode(number.text());
        }
        if (value instanceof Value.Binary binary) {
            return NODES.binaryNode(binary.copy());
        }
        if (value instanceof Value.Sequence list) {
            ArrayNode elements = NODES.arrayNode(list.elements().size());
            list.elements().forEach(element -> elements.add(value(element)));
            return elements;
        }
        if (value instanceof MapValue map) {
            return item(map);
        }
        if (value instanceof Value.Members set) {
            return members(set.members());
        }
        return NODES.booleanNode(value != Value.Bool.FALSE);
    }

    private static ArrayNode members(List<Value> values) {
        ArrayNode members = NODES.arrayNode(values.size());
        values.forEach(member -> members.add(content(member)));
        return members;
    }
}
