package io.millrace.local.internal.dynamodb;

import io.millrace.local.internal.AwsServiceException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Walks through the tokens of one expression; the common ground of the three grammars. */
final class TokenCursor {
    static final int EXPRESSION_SIZE_MAX = 4_096;
    static final int OPERATORS_MAX = 300;

    private final ExpressionKind kind;
    private final String text;
    private final List<Token> tokens;
    private int position;
    private int operators;
    private @Nullable String reservedWord;

    TokenCursor(ExpressionKind kind, String text) {
        this.kind = kind;
        this.text = text;
        int size = Utf8.lengthBytes(text);
        if (size > EXPRESSION_SIZE_MAX) {
            throw kind.invalid("Expression size has exceeded the maximum allowed size; expression size: " + size);
        }
        this.tokens = Lexer.tokens(text);
        if (tokens.size() == 1) {
            throw kind.invalid("The expression can not be empty;");
        }
    }

    ExpressionKind kind() {
        return kind;
    }

    Token peek() {
        return tokens.get(position);
    }

    Token peekSecond() {
        return tokens.get(Math.min(position + 1, tokens.size() - 1));
    }

    Token next() {
        Token token = tokens.get(position);
        if (token.kind() != Token.Kind.END) {
            position++;
        }
        return token;
    }

    boolean takeSymbol(String symbol) {
        if (peek().isSymbol(symbol)) {
            position++;
            return true;
        }
        return false;
    }

    void expectSymbol(String symbol) {
        if (!takeSymbol(symbol)) {
            throw syntaxError();
        }
    }

    boolean takeKeyword(String keyword) {
        if (peek().isKeyword(keyword)) {
            position++;
            return true;
        }
        return false;
    }

    /** Counts an operator against the limit of one expression. */
    void countOperator() {
        operators++;
        if (operators > OPERATORS_MAX) {
            throw kind.invalid("The expression contains too many operators; operator count: " + operators);
        }
    }

    /** The index of the parenthesis that closes the one at the index, or of the end. */
    private int closing(int opening) {
        int depth = 0;
        for (int i = opening; i < tokens.size(); i++) {
            if (tokens.get(i).isSymbol("(")) {
                depth++;
            } else if (tokens.get(i).isSymbol(")")) {
                depth--;
                if (depth == 0) {
                    return i;
                }
            }
        }
        return tokens.size() - 1;
    }

    /** The token behind the group that opens here. */
    Token behindGroup() {
        return tokens.get(Math.min(closing(position) + 1, tokens.size() - 1));
    }

    /** Refuses a group that holds nothing but another group. */
    void requireGroupNotRedundant() {
        if (peekSecond().isSymbol("(") && closing(position + 1) + 1 == closing(position)) {
            throw kind.invalid("The expression has redundant parentheses;");
        }
    }

    Path path() {
        List<Path.Step> steps = new ArrayList<>();
        steps.add(pathName());
        while (true) {
            if (takeSymbol(".")) {
                steps.add(pathName());
            } else if (takeSymbol("[")) {
                steps.add(pathPosition());
                expectSymbol("]");
            } else {
                break;
            }
        }
        if (steps.size() > Path.STEPS_MAX) {
            throw kind.invalid("The document path has too many nesting elements; nesting level: " + steps.size());
        }
        return new Path(steps);
    }

    private Path.Name pathName() {
        Token token = peek();
        if (token.kind() == Token.Kind.NAME) {
            if (reservedWord == null && ReservedWords.contains(token.text())) {
                reservedWord = token.text();
            }
        } else if (token.kind() != Token.Kind.NAME_PLACEHOLDER) {
            throw syntaxError();
        }
        position++;
        return new Path.Name(token.text());
    }

    private Path.Position pathPosition() {
        Token token = peek();
        if (token.kind() != Token.Kind.NUMBER) {
            throw syntaxError();
        }
        position++;
        try {
            return new Path.Position(Integer.parseInt(token.text()));
        } catch (NumberFormatException e) {
            throw kind.invalid("List index is not within the allowable range; index: [" + token.text() + "]");
        }
    }

    /** Refuses what is left over, then a reserved word: AWS reports them in this order. */
    void finish() {
        if (peek().kind() != Token.Kind.END) {
            throw syntaxError();
        }
        if (reservedWord != null) {
            throw kind.invalid("Attribute name is a reserved keyword; reserved keyword: " + reservedWord);
        }
    }

    AwsServiceException syntaxError() {
        Token token = peek();
        int from = position == 0 ? token.start() : tokens.get(position - 1).start();
        int to = peekSecond().end();
        return kind.invalid(
                "Syntax error; token: \"" + token.text() + "\", near: \"" + text.substring(from, to) + "\"");
    }
}
