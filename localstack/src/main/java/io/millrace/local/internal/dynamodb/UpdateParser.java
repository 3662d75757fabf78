package io.millrace.local.internal.dynamodb;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A recursive-descent parser of update expressions:
 *
 * <pre>
 * update  = section { section }
 * section = SET path "=" sum { "," ... } | REMOVE path { "," ... } | ADD path :value { "," ... } | DELETE ...
 * sum     = operand [ ( "+" | "-" ) operand ]
 * operand = "(" sum ")" | :value | if_not_exists(path, operand) | list_append(operand, operand) | path
 * </pre>
 */
final class UpdateParser {
    private static final int FUNCTION_ARGUMENTS = 2;

    private final TokenCursor cursor;
    private final List<UpdateExpression.Action> sets = new ArrayList<>();
    private final List<Path> removes = new ArrayList<>();
    private final List<UpdateExpression.Action> adds = new ArrayList<>();
    private final List<UpdateExpression.Action> deletes = new ArrayList<>();
    private final Set<String> sections = new HashSet<>();

    private UpdateParser(TokenCursor cursor) {
        this.cursor = cursor;
    }

    static UpdateExpression parse(String text) {
        TokenCursor cursor = new TokenCursor(ExpressionKind.UPDATE, text);
        UpdateParser parser = new UpdateParser(cursor);
        do {
            parser.section();
        } while (cursor.peek().kind() != Token.Kind.END);
        cursor.finish();
        return new UpdateExpression(parser.sets, parser.removes, parser.adds, parser.deletes);
    }

    private void section() {
        Token keyword = cursor.peek();
        String section = keyword.text().toUpperCase(Locale.ROOT);
        if (keyword.kind() != Token.Kind.NAME
                || !Set.of("SET", "REMOVE", "ADD", "DELETE").contains(section)) {
            throw cursor.syntaxError();
        }
        cursor.next();
        do {
            cursor.countOperator();
            action(section);
        } while (cursor.takeSymbol(","));
        if (!sections.add(section)) {
            throw cursor.kind()
                    .invalid("The \"" + section + "\" section can only be used once in an update expression;");
        }
    }

    private void action(String section) {
        Path path = cursor.path();
        switch (section) {
            case "SET" -> {
                cursor.expectSymbol("=");
                sets.add(new UpdateExpression.Action(path, sum()));
            }
            case "REMOVE" -> removes.add(path);
            case "ADD" -> adds.add(new UpdateExpression.Action(path, placeholder()));
            default -> deletes.add(new UpdateExpression.Action(path, placeholder()));
        }
    }

    private Operand placeholder() {
        if (cursor.peek().kind() != Token.Kind.VALUE_PLACEHOLDER) {
            throw cursor.syntaxError();
        }
        return new Operand.Placeholder(cursor.next().text());
    }

    private Operand sum() {
        Operand left = operand();
        for (Operand.Sign sign : Operand.Sign.values()) {
            if (cursor.takeSymbol(sign.symbol())) {
                cursor.countOperator();
                return new Operand.Arithmetic(left, sign, operand());
            }
        }
        return left;
    }

    private Operand operand() {
        Token token = cursor.peek();
        if (token.isSymbol("(")) {
            cursor.requireGroupNotRedundant();
            cursor.next();
            Operand operand = sum();
            cursor.expectSymbol(")");
            return operand;
        }
        if (token.kind() == Token.Kind.VALUE_PLACEHOLDER) {
            return placeholder();
        }
        if (token.kind() == Token.Kind.NAME && cursor.peekSecond().isSymbol("(")) {
            return call();
        }
        return new Operand.Attribute(cursor.path());
    }

    private Operand call() {
        String function = cursor.next().text();
        cursor.expectSymbol("(");
        List<Operand> arguments = new ArrayList<>();
        do {
            arguments.add(operand());
        } while (cursor.takeSymbol(","));
        cursor.expectSymbol(")");
        if (!function.equals("if_not_exists") && !function.equals("list_append")) {
            throw cursor.kind().invalid("Invalid function name; function: " + function);
        }
        cursor.countOperator();
        if (arguments.size() != FUNCTION_ARGUMENTS) {
            throw cursor.kind()
                    .invalid("Incorrect number of operands for operator or function; operator or function: " + function
                            + ", number of operands: " + arguments.size());
        }
        if (function.equals("if_not_exists") && !(arguments.get(0) instanceof Operand.Attribute)) {
            throw cursor.kind()
                    .invalid("Operator or function requires a document path; operator or function: " + function);
        }
        return new Operand.Call(function, arguments);
    }
}
