package io.millrace.local.internal.dynamodb;

import java.util.ArrayList;
import java.util.List;

/** The syntax tree of an update. */
record UpdateExpression(List<Action> sets, List<Path> removes, List<Action> adds, List<Action> deletes) {
    UpdateExpression {
        sets = List.copyOf(sets);
        removes = List.copyOf(removes);
        adds = List.copyOf(adds);
        deletes = List.copyOf(deletes);
    }

    /** A path and what happens to it. */
    record Action(Path path, Operand operand) {}

    /** All paths that the update changes. */
    List<Path> paths() {
        List<Path> paths = new ArrayList<>();
        sets.forEach(action -> paths.add(action.path()));
        paths.addAll(removes);
        adds.forEach(action -> paths.add(action.path()));
        deletes.forEach(action -> paths.add(action.path()));
        return paths;
    }
}
