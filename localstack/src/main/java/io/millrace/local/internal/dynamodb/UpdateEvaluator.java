package io.millrace.local.internal.dynamodb;

import io.millrace.local.internal.AwsServiceException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Applies a bound update to an item. Every operand is read from the item as it was before the update, so the order of
 * the actions does not matter; removals come last and in descending order of their paths, so that positions mean the
 * list as it was.
 */
final class UpdateEvaluator {
    private static final Comparator<Path> PATH_ORDER = UpdateEvaluator::comparePaths;

    private final MapValue before;

    private UpdateEvaluator(MapValue before) {
        this.before = before;
    }

    static MapValue apply(UpdateExpression update, MapValue before) {
        return new UpdateEvaluator(before).apply(update);
    }

    private MapValue apply(UpdateExpression update) {
        MapValue item = before;
        List<Path> removals = new ArrayList<>(update.removes());
        for (UpdateExpression.Action action : update.sets()) {
            item = DocumentEdit.set(item, action.path(), evaluate(action.operand()));
        }
        for (UpdateExpression.Action action : update.adds()) {
            Value operand = ((Operand.Constant) action.operand()).value();
            item = DocumentEdit.set(item, action.path(), add(action.path().in(before), operand));
        }
        for (UpdateExpression.Action action : update.deletes()) {
            Value existing = action.path().in(before);
            if (existing != null) {
                Value.Members left = difference(existing, action.operand());
                if (left.members().isEmpty()) {
                    removals.add(action.path());
                } else {
                    item = DocumentEdit.set(item, action.path(), left);
                }
            }
        }
        removals.sort(PATH_ORDER.reversed());
        for (Path path : removals) {
            item = DocumentEdit.remove(item, path);
        }
        return item;
    }

    private static int comparePaths(Path left, Path right) {
        int common = Math.min(left.steps().size(), right.steps().size());
        for (int i = 0; i < common; i++) {
            int order = compareSteps(left.steps().get(i), right.steps().get(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(left.steps().size(), right.steps().size());
    }

    private static int compareSteps(Path.Step left, Path.Step right) {
        if (left instanceof Path.Position a && right instanceof Path.Position b) {
            return Integer.compare(a.index(), b.index());
        }
        return left.toString().compareTo(right.toString());
    }

    private Value evaluate(Operand operand) {
        if (operand instanceof Operand.Constant constant) {
            return constant.value();
        }
        if (operand instanceof Operand.Attribute attribute) {
            Value value = attribute.path().in(before);
            if (value == null) {
                throw ServiceErrors.validation(
                        "The provided expression refers to an attribute that does not exist in the item");
            }
            return value;
        }
        if (operand instanceof Operand.Arithmetic arithmetic) {
            return sum(evaluate(arithmetic.left()), arithmetic.sign(), evaluate(arithmetic.right()));
        }
        if (operand instanceof Operand.Call call) {
            return call.function().equals("if_not_exists") ? ifNotExists(call) : listAppend(call);
        }
        throw new IllegalStateException("not an operand of a bound update: " + operand);
    }

    private Value ifNotExists(Operand.Call call) {
        Value existing = ((Operand.Attribute) call.arguments().get(0)).path().in(before);
        return existing != null ? existing : evaluate(call.arguments().get(1));
    }

    private Value listAppend(Operand.Call call) {
        if (evaluate(call.arguments().get(0)) instanceof Value.Sequence head
                && evaluate(call.arguments().get(1)) instanceof Value.Sequence tail) {
            List<Value> elements = new ArrayList<>(head.elements());
            elements.addAll(tail.elements());
            return new Value.Sequence(elements);
        }
        throw wrongOperandType();
    }

    private static Value sum(Value left, Operand.Sign sign, Value right) {
        if (left instanceof Value.Numeric a && right instanceof Value.Numeric b) {
            BigDecimal result = sign == Operand.Sign.PLUS
                    ? a.number().add(b.number())
                    : a.number().subtract(b.number());
            return ValueReader.number(result);
        }
        throw wrongOperandType();
    }

    private static AwsServiceException wrongOperandType() {
        return ServiceErrors.validation("An operand in the update expression has an incorrect data type");
    }

    private static Value add(@Nullable Value existing, Value operand) {
        if (existing == null) {
            return operand;
        }
        if (operand instanceof Value.Numeric) {
            return sum(existing, Operand.Sign.PLUS, operand);
        }
        if (existing instanceof Value.Members set
                && operand instanceof Value.Members more
                && set.type() == more.type()) {
            Set<Value> union = new LinkedHashSet<>(set.members());
            union.addAll(more.members());
            return new Value.Members(set.type(), List.copyOf(union));
        }
        throw wrongOperandType();
    }

    private static Value.Members difference(Value existing, Operand operand) {
        Value.Members removed = (Value.Members) ((Operand.Constant) operand).value();
        if (!(existing instanceof Value.Members set) || set.type() != removed.type()) {
            throw wrongOperandType();
        }
        List<Value> left = new ArrayList<>(set.members());
        left.removeAll(removed.members());
        return new Value.Members(set.type(), left);
    }
}
