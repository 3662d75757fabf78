package io.millrace.local.internal.dynamodb;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The top-level attributes that a condition mentions. */
final class FilterAttributes {
    private final Set<String> names = new LinkedHashSet<>();

    private FilterAttributes() {}

    static Set<String> of(Condition condition) {
        FilterAttributes attributes = new FilterAttributes();
        attributes.collect(condition);
        return attributes.names;
    }

    private void collect(Condition condition) {
        if (condition instanceof Condition.And and) {
            collect(and.left());
            collect(and.right());
        } else if (condition instanceof Condition.Or or) {
            collect(or.left());
            collect(or.right());
        } else if (condition instanceof Condition.Not not) {
            collect(not.condition());
        } else if (condition instanceof Condition.Comparison comparison) {
            collect(List.of(comparison.left(), comparison.right()));
        } else if (condition instanceof Condition.Between between) {
            collect(List.of(between.operand(), between.lower(), between.upper()));
        } else if (condition instanceof Condition.In in) {
            collect(List.of(in.operand()));
            collect(in.candidates());
        } else if (condition instanceof Condition.Predicate predicate) {
            collect(predicate.call().arguments());
        }
    }

    private void collect(List<Operand> operands) {
        for (Operand operand : operands) {
            if (operand instanceof Operand.Attribute attribute) {
                names.add(attribute.path().attribute());
            } else if (operand instanceof Operand.Call call) {
                collect(call.arguments());
            }
        }
    }
}
