package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.AwsServiceException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The {@code #names} and {@code :values} of one request. Binding an expression replaces its placeholders; afterwards every
 * name and value must have been used. Not thread-safe: one request, one instance.
 */
final class Bindings {
    private static final Pattern NAME_KEY = Pattern.compile("#[A-Za-z0-9_]+");
    private static final Pattern VALUE_KEY = Pattern.compile(":[A-Za-z0-9_]+");

    private final Map<String, String> names;
    private final Map<String, Value> values;
    private final Set<String> used = new HashSet<>();

    private Bindings(Map<String, String> names, Map<String, Value> values) {
        this.names = names;
        this.values = values;
    }

    /**
     * Reads names and values of a request.
     *
     * @param expressions the expression parameters that this operation knows, in the order in which messages list them;
     *     names and values are refused when the request has none of them
     */
    static Bindings of(Request request, List<ExpressionKind> expressions) {
        ObjectNode nameDocument = request.object("ExpressionAttributeNames");
        ObjectNode valueDocument = request.object("ExpressionAttributeValues");
        boolean anyExpression = expressions.stream().anyMatch(kind -> request.has(kind.parameter()));
        if (nameDocument != null && !anyExpression) {
            throw ServiceErrors.validation("ExpressionAttributeNames can only be specified when using expressions");
        }
        List<String> forValues = expressions.stream()
                .filter(kind -> kind != ExpressionKind.PROJECTION)
                .map(ExpressionKind::parameter)
                .toList();
        if (valueDocument != null && forValues.stream().noneMatch(request::has)) {
            throw ServiceErrors.validation("ExpressionAttributeValues can only be specified when using expressions: "
                    + String.join(" and ", forValues) + (forValues.size() > 1 ? " are null" : " is null"));
        }
        return new Bindings(names(nameDocument), values(valueDocument));
    }

    private static Map<String, String> names(@Nullable ObjectNode document) {
        if (document == null) {
            return Map.of();
        }
        if (document.isEmpty()) {
            throw ServiceErrors.validation("ExpressionAttributeNames must not be empty");
        }
        Map<String, String> names = new HashMap<>();
        for (Map.Entry<String, JsonNode> entry : document.properties()) {
            requireKey(NAME_KEY, entry.getKey(), "ExpressionAttributeNames");
            String name = entry.getValue().textValue();
            if (name == null || name.isEmpty()) {
                throw ServiceErrors.validation("ExpressionAttributeNames contains invalid value: Empty attribute name "
                        + "for key " + entry.getKey());
            }
            names.put(entry.getKey(), name);
        }
        return names;
    }

    private static Map<String, Value> values(@Nullable ObjectNode document) {
        if (document == null) {
            return Map.of();
        }
        if (document.isEmpty()) {
            throw ServiceErrors.validation("ExpressionAttributeValues must not be empty");
        }
        Map<String, Value> values = new HashMap<>();
        for (Map.Entry<String, JsonNode> entry : document.properties()) {
            requireKey(VALUE_KEY, entry.getKey(), "ExpressionAttributeValues");
            values.put(entry.getKey(), value(entry.getKey(), entry.getValue()));
        }
        return values;
    }

    private static Value value(String key, JsonNode document) {
        try {
            return ValueReader.value(document);
        } catch (AwsServiceException e) {
            if (!e.code().equals(ServiceErrors.VALIDATION_CODE)) {
                throw e;
            }
            throw ServiceErrors.validation(
                    "ExpressionAttributeValues contains invalid value: " + e.getMessage() + " for key " + key);
        }
    }

    private static void requireKey(Pattern pattern, String key, String parameter) {
        if (!pattern.matcher(key).matches()) {
            throw ServiceErrors.validation(parameter + " contains invalid key: Syntax error; key: \"" + key + "\"");
        }
    }

    /** Refuses names and values that no expression used. */
    void requireAllUsed() {
        requireUsed(names.keySet(), "ExpressionAttributeNames");
        requireUsed(values.keySet(), "ExpressionAttributeValues");
    }

    private void requireUsed(Set<String> keys, String parameter) {
        if (!used.containsAll(keys)) {
            Set<String> unused = new TreeSet<>(keys);
            unused.removeAll(used);
            throw ServiceErrors.validation("Value provided in " + parameter + " unused in expressions: keys: {"
                    + String.join(", ", unused) + "}");
        }
    }

    Condition bind(ExpressionKind kind, Condition condition) {
        if (condition instanceof Condition.And and) {
            return new Condition.And(bind(kind, and.left()), bind(kind, and.right()));
        }
        if (condition instanceof Condition.Or or) {
            return new Condition.Or(bind(kind, or.left()), bind(kind, or.right()));
        }
        if (condition instanceof Condition.Not not) {
            return new Condition.Not(bind(kind, not.condition()));
        }
        if (condition instanceof Condition.Comparison comparison) {
            return new Condition.Comparison(
                    bind(kind, comparison.left()), comparison.operator(), bind(kind, comparison.right()));
        }
        if (condition instanceof Condition.Between between) {
            return new Condition.Between(
                    bind(kind, between.operand()), bind(kind, between.lower()), bind(kind, between.upper()));
        }
        if (condition instanceof Condition.In in) {
            return new Condition.In(bind(kind, in.operand()), bindOperands(kind, in.candidates()));
        }
        Operand.Call call = ((Condition.Predicate) condition).call();
        return new Condition.Predicate(new Operand.Call(call.function(), bindOperands(kind, call.arguments())));
    }

    UpdateExpression bind(UpdateExpression update) {
        return new UpdateExpression(
                bindActions(update.sets()),
                bindPaths(ExpressionKind.UPDATE, update.removes()),
                bindActions(update.adds()),
                bindActions(update.deletes()));
    }

    List<Path> bindPaths(ExpressionKind kind, List<Path> paths) {
        List<Path> bound = new ArrayList<>(paths.size());
        for (Path path : paths) {
            bound.add(bind(kind, path));
        }
        return bound;
    }

    private List<UpdateExpression.Action> bindActions(List<UpdateExpression.Action> actions) {
        List<UpdateExpression.Action> bound = new ArrayList<>(actions.size());
        for (UpdateExpression.Action action : actions) {
            bound.add(new UpdateExpression.Action(
                    bind(ExpressionKind.UPDATE, action.path()), bind(ExpressionKind.UPDATE, action.operand())));
        }
        return bound;
    }

    private List<Operand> bindOperands(ExpressionKind kind, List<Operand> operands) {
        List<Operand> bound = new ArrayList<>(operands.size());
        for (Operand operand : operands) {
            bound.add(bind(kind, operand));
        }
        return bound;
    }

    private Operand bind(ExpressionKind kind, Operand operand) {
        if (operand instanceof Operand.Attribute attribute) {
            return new Operand.Attribute(bind(kind, attribute.path()));
        }
        if (operand instanceof Operand.Placeholder placeholder) {
            Value value = values.get(placeholder.name());
            if (value == null) {
                throw kind.invalid("An expression attribute value used in expression is not defined; attribute value: "
                        + placeholder.name());
            }
            used.add(placeholder.name());
            return new Operand.Constant(value);
        }
        if (operand instanceof Operand.Call call) {
            return new Operand.Call(call.function(), bindOperands(kind, call.arguments()));
        }
        if (operand instanceof Operand.Arithmetic arithmetic) {
            return new Operand.Arithmetic(
                    bind(kind, arithmetic.left()), arithmetic.sign(), bind(kind, arithmetic.right()));
        }
        return operand;
    }

    private Path bind(ExpressionKind kind, Path path) {
        List<Path.Step> bound = new ArrayList<>(path.steps().size());
        for (Path.Step step : path.steps()) {
            bound.add(step instanceof Path.Name name && name.isPlaceholder() ? bind(kind, name) : step);
        }
        return new Path(bound);
    }

    private Path.Name bind(ExpressionKind kind, Path.Name placeholder) {
        String name = names.get(placeholder.name());
        if (name == null) {
            throw kind.invalid("An expression attribute name used in the document path is not defined; attribute name: "
                    + placeholder.name());
        }
        used.add(placeholder.name());
        return new Path.Name(name);
    }
}
