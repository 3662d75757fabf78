package io.millrace.local.internal.dynamodb;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A recursive-descent parser of conditions:
 *
 * <pre>
 * or         = and { OR and }
 * and        = not { AND not }
 * not        = NOT not | "(" or ")" | comparison
 * comparison = operand ( operator operand | BETWEEN operand AND operand | IN "(" operand { "," operand } ")" ) | call
 * operand    = "(" operand ")" | :value | call | path
 * </pre>
 */
final class ConditionParser {
    static final int IN_OPERANDS_MAX = 100;
    private static final Map<String, Integer> ARGUMENT_COUNTS = Map.of(
            "attribute_exists", 1,
            "attribute_not_exists", 1,
            "attribute_type", 2,
            "begins_with", 2,
            "contains", 2,
            "size", 1);

    private final TokenCursor cursor;

    private ConditionParser(TokenCursor cursor) {
        this.cursor = cursor;
    }

    static Condition parse(ExpressionKind kind, String text) {
        TokenCursor cursor = new TokenCursor(kind, text);
        Condition condition = new ConditionParser(cursor).or();
        cursor.finish();
        return condition;
    }

    private Condition or() {
        Condition left = and();
        while (cursor.takeKeyword("OR")) {
            cursor.countOperator();
            left = new Condition.Or(left, and());
        }
        return left;
    }

    private Condition and() {
        Condition left = not();
        while (cursor.takeKeyword("AND")) {
            cursor.countOperator();
            left = new Condition.And(left, not());
        }
        return left;
    }

    private Condition not() {
        if (cursor.takeKeyword("NOT")) {
            cursor.countOperator();
            return new Condition.Not(not());
        }
        if (cursor.peek().isSymbol("(") && !startsOperator(cursor.behindGroup())) {
            cursor.requireGroupNotRedundant();
            cursor.next();
            Condition condition = or();
            cursor.expectSymbol(")");
            return condition;
        }
        return comparison();
    }

    private static boolean startsOperator(Token token) {
        return operator(token) != null || token.isKeyword("BETWEEN") || token.isKeyword("IN");
    }

    private static Condition.@Nullable Operator operator(Token token) {
        if (token.kind() == Token.Kind.SYMBOL) {
            for (Condition.Operator operator : Condition.Operator.values()) {
                if (operator.symbol().equals(token.text())) {
                    return operator;
                }
            }
        }
        return null;
    }

    private Condition comparison() {
        Operand left = operand();
        Condition.Operator operator = operator(cursor.peek());
        if (operator != null) {
            cursor.next();
            cursor.countOperator();
            return new Condition.Comparison(asOperand(left), operator, asOperand(operand()));
        }
        if (cursor.takeKeyword("BETWEEN")) {
            cursor.countOperator();
            Operand lower = operand();
            if (!cursor.takeKeyword("AND")) {
                throw cursor.syntaxError();
            }
            return new Condition.Between(asOperand(left), asOperand(lower), asOperand(operand()));
        }
        if (cursor.takeKeyword("IN")) {
            cursor.countOperator();
            return new Condition.In(asOperand(left), candidates());
        }
        if (left instanceof Operand.Call call) {
            if (call.function().equals("size")) {
                throw misused(call);
            }
            cursor.countOperator();
            return new Condition.Predicate(call);
        }
        throw cursor.syntaxError();
    }

    private List<Operand> candidates() {
        cursor.expectSymbol("(");
        List<Operand> candidates = new ArrayList<>();
        do {
            candidates.add(asOperand(operand()));
        } while (cursor.takeSymbol(","));
        cursor.expectSymbol(")");
        if (candidates.size() > IN_OPERANDS_MAX) {
            throw cursor.kind()
                    .invalid("The IN operator is provided with too many operands; number of operands: "
                            + candidates.size());
        }
        return candidates;
    }

    private Operand operand() {
        Token token = cursor.peek();
        if (token.isSymbol("(")) {
            cursor.requireGroupNotRedundant();
            cursor.next();
            Operand operand = operand();
            cursor.expectSymbol(")");
            return operand;
        }
        if (token.kind() == Token.Kind.VALUE_PLACEHOLDER) {
            return new Operand.Placeholder(cursor.next().text());
        }
        if (token.kind() == Token.Kind.NAME && cursor.peekSecond().isSymbol("(")) {
            return call();
        }
        return new Operand.Attribute(cursor.path());
    }

    private Operand.Call call() {
        String function = cursor.next().text();
        cursor.expectSymbol("(");
        List<Operand> arguments = new ArrayList<>();
        do {
            arguments.add(operand());
        } while (cursor.takeSymbol(","));
        cursor.expectSymbol(")");
        Integer count = ARGUMENT_COUNTS.get(function);
        if (count == null) {
            throw cursor.kind().invalid("Invalid function name; function: " + function);
        }
        arguments.forEach(this::asOperand);
        if (count != arguments.size()) {
            throw wrongOperandCount(function, arguments.size());
        }
        return new Operand.Call(function, arguments);
    }

    private RuntimeException wrongOperandCount(String function, int count) {
        return cursor.kind()
                .invalid("Incorrect number of operands for operator or function; operator or function: " + function
                        + ", number of operands: " + count);
    }

    /** Refuses functions other than size as operands: their true or false is no value. */
    private Operand asOperand(Operand operand) {
        if (operand instanceof Operand.Call call && !call.function().equals("size")) {
            throw misused(call);
        }
        return operand;
    }

    private RuntimeException misused(Operand.Call call) {
        return cursor.kind()
                .invalid("The function is not allowed to be used this way in an expression; function: "
                        + call.function());
    }
}
