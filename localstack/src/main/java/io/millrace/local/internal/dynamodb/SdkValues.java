package io.millrace.local.internal.dynamodb;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Writes attribute values as the SDK's model has them; what can be changed is a copy. */
final class SdkValues {
    private static final AttributeValue NULL = AttributeValue.fromNul(true);
    private static final AttributeValue TRUE = AttributeValue.fromBool(true);
    private static final AttributeValue FALSE = AttributeValue.fromBool(false);

    private SdkValues() {}

    /** The attributes of an item or a map, in the order of their names; unmodifiable. */
    static Map<String, AttributeValue> item(MapValue item) {
        Map<String, AttributeValue> attributes = new LinkedHashMap<>(2 * item.count());
        for (int i = 0; i < item.count(); i++) {
            attributes.put(item.name(i), value(item.value(i)));
        }
        return Collections.unmodifiableMap(attributes);
    }

    private static AttributeValue value(Value value) {
        if (value instanceof Value.Text text) {
            return AttributeValue.fromS(text.text());
        }
        if (value instanceof Value.Numeric number) {
            return AttributeValue.fromN(number.text());
        }
        if (value instanceof Value.Binary binary) {
            return AttributeValue.fromB(bytes(binary));
        }
        if (value instanceof Value.Sequence list) {
            List<AttributeValue> elements = new ArrayList<>(list.elements().size());
            list.elements().forEach(element -> elements.add(value(element)));
            return AttributeValue.fromL(elements);
        }
        if (value instanceof MapValue map) {
            return AttributeValue.fromM(item(map));
        }
        if (value instanceof Value.Members set) {
            return members(set);
        }
        return value == Value.Null.NULL ? NULL : value == Value.Bool.TRUE ? TRUE : FALSE;
    }

    private static AttributeValue members(Value.Members set) {
        List<String> texts = new ArrayList<>();
        List<SdkBytes> binaries = new ArrayList<>();
        for (Value member : set.members()) {
            if (member instanceof Value.Text text) {
                texts.add(text.text());
            } else if (member instanceof Value.Numeric number) {
                texts.add(number.text());
            } else if (member instanceof Value.Binary binary) {
                binaries.add(bytes(binary));
            }
        }
        return switch (set.type()) {
            case NS -> AttributeValue.fromNs(texts);
            case BS -> AttributeValue.fromBs(binaries);
            default -> AttributeValue.fromSs(texts);
        };
    }

    private static SdkBytes bytes(Value.Binary binary) {
        return SdkBytes.fromByteArrayUnsafe(binary.copy());
    }
}
