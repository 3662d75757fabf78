package io.millrace.local.internal.dynamodb;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Changes of a document at a path; the document itself is immutable, so each answers a new one. */
final class DocumentEdit {
    private DocumentEdit() {}

    /** Sets the value at the path. A position behind the end of a list appends. */
    static MapValue set(MapValue item, Path path, Value value) {
        return (MapValue) edit(item, path.steps(), value);
    }

    /** Removes the value at the path, if there is one; what contains it must exist. */
    static MapValue remove(MapValue item, Path path) {
        return (MapValue) edit(item, path.steps(), null);
    }

    private static Value edit(Value container, List<Path.Step> steps, @Nullable Value value) {
        Path.Step step = steps.get(0);
        if (steps.size() == 1) {
            return put(container, step, value);
        }
        Value child = Path.child(container, step);
        if (child == null) {
            throw invalidPath();
        }
        return put(container, step, edit(child, steps.subList(1, steps.size()), value));
    }

    private static Value put(Value container, Path.Step step, @Nullable Value value) {
        if (step instanceof Path.Name name && container instanceof MapValue map) {
            return value == null ? map.without(name.name()) : map.with(name.name(), value);
        }
        if (step instanceof Path.Position position && container instanceof Value.Sequence list) {
            return put(list, position.index(), value);
        }
        throw invalidPath();
    }

    private static Value put(Value.Sequence list, int index, @Nullable Value value) {
        List<Value> elements = new ArrayList<>(list.elements());
        boolean inside = index < elements.size();
        if (value == null) {
            if (inside) {
                elements.remove(index);
            }
        } else if (inside) {
            elements.set(index, value);
        } else {
            elements.add(value);
        }
        return new Value.Sequence(elements);
    }

    private static RuntimeException invalidPath() {
        return ServiceErrors.validation("The document path provided in the update expression is invalid for update");
    }
}
