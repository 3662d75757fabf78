package io.millrace.local.internal.dynamodb;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The parts of an item that a set of paths names. Maps on the way keep only the named members, lists only the named
 * elements, closed up in their old order.
 */
final class Projection {
    private final List<Path> paths;
    private final Tree tree = new Tree();

    /** The paths below one step; a leaf takes all that is there. */
    private static final class Tree {
        final Map<String, Tree> members = new TreeMap<>();
        final Map<Integer, Tree> elements = new TreeMap<>();

        boolean isLeaf() {
            return members.isEmpty() && elements.isEmpty();
        }

        Tree below(Path.Step step) {
            return step instanceof Path.Name name
                    ? members.computeIfAbsent(name.name(), key -> new Tree())
                    : elements.computeIfAbsent(((Path.Position) step).index(), key -> new Tree());
        }
    }

    Projection(List<Path> paths) {
        this.paths = List.copyOf(paths);
        for (Path path : paths) {
            Tree node = tree;
            for (Path.Step step : path.steps()) {
                node = node.below(step);
            }
        }
    }

    List<Path> paths() {
        return paths;
    }

    MapValue of(MapValue item) {
        Value projected = project(item, tree);
        return projected instanceof MapValue map ? map : MapValue.EMPTY;
    }

    private static @Nullable Value project(Value value, Tree tree) {
        if (tree.isLeaf()) {
            return value;
        }
        if (value instanceof MapValue map && !tree.members.isEmpty()) {
            Map<String, Value> kept = new TreeMap<>();
            tree.members.forEach((name, below) -> {
                Value member = map.get(name);
                Value projected = member == null ? null : project(member, below);
                if (projected != null) {
                    kept.put(name, projected);
                }
            });
            return kept.isEmpty() ? null : MapValue.of(kept);
        }
        if (value instanceof Value.Sequence list && !tree.elements.isEmpty()) {
            List<Value> kept = new ArrayList<>();
            tree.elements.forEach((index, below) -> {
                Value projected =
                        index < list.elements().size() ? project(list.elements().get(index), below) : null;
                if (projected != null) {
                    kept.add(projected);
                }
            });
            return kept.isEmpty() ? null : new Value.Sequence(kept);
        }
        return null;
    }
}
