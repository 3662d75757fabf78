package io.millrace.local.internal.dynamodb;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A document path such as {@code a.b[0].#c}. Until it is bound, its names may be placeholders. */
record Path(List<Step> steps) {
    static final int STEPS_MAX = 32;

    Path {
        steps = List.copyOf(steps);
    }

    /** One step of a path. */
    sealed interface Step {}

    /** A step into a map. */
    record Name(String name) implements Step {
        boolean isPlaceholder() {
            return name.startsWith("#");
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** A step into a list. */
    record Position(int index) implements Step {
        @Override
        public String toString() {
            return "[" + index + "]";
        }
    }

    boolean isTopLevel() {
        return steps.size() == 1;
    }

    /** The name of the top-level attribute. */
    String attribute() {
        return ((Name) steps.get(0)).name();
    }

    /** The value at this path, or null where there is none. */
    @Nullable
    Value in(MapValue item) {
        Value current = item;
        for (Step step : steps) {
            Value next = child(current, step);
            if (next == null) {
                return null;
            }
            current = next;
        }
        return current;
    }

    static @Nullable Value child(Value parent, Step step) {
        if (step instanceof Name name) {
            return parent instanceof MapValue map ? map.get(name.name()) : null;
        }
        int index = ((Position) step).index();
        return parent instanceof Value.Sequence list && index < list.elements().size()
                ? list.elements().get(index)
                : null;
    }

    /** The path as messages show it: {@code [a, b, [0]]}. */
    String inMessages() {
        return steps.stream().map(Step::toString).collect(Collectors.joining(", ", "[", "]"));
    }

    /** Refuses paths of which one contains another, or which need the same value to be both a list and a map. */
    static void requireSeparate(List<Path> paths, ExpressionKind kind) {
        for (int i = 1; i < paths.size(); i++) {
            for (int j = 0; j < i; j++) {
                requireSeparate(paths.get(j), paths.get(i), kind);
            }
        }
    }

    private static void requireSeparate(Path one, Path two, ExpressionKind kind) {
        int common = Math.min(one.steps.size(), two.steps.size());
        for (int i = 0; i < common; i++) {
            Step a = one.steps.get(i);
            Step b = two.steps.get(i);
            if (a.getClass() != b.getClass()) {
                throw kind.invalid("Two document paths conflict with each other; " + both(one, two));
            }
            if (!a.equals(b)) {
                return;
            }
        }
        throw kind.invalid("Two document paths overlap with each other; " + both(one, two));
    }

    private static String both(Path one, Path two) {
        return "must remove or rewrite one of these paths; path one: " + one.inMessages() + ", path two: "
                + two.inMessages();
    }
}
