package io.millrace.local.internal.dynamodb;

import java.util.ArrayList;
import java.util.List;

/** Splits an expression into tokens. */
final class Lexer {
    private static final String TWO_CHARACTER_SYMBOLS = "<= >= <>";
    private static final String SYMBOLS = "=<>()[],.+-";

    private final String text;
    private final List<Token> tokens = new ArrayList<>();
    private int position;

    private Lexer(String text) {
        this.text = text;
    }

    /** The tokens of the text, the last of them {@link Token.Kind#END}. */
    static List<Token> tokens(String text) {
        Lexer lexer = new Lexer(text);
        lexer.run();
        return List.copyOf(lexer.tokens);
    }

    private void run() {
        while (position < text.length()) {
            char c = text.charAt(position);
            if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
                position++;
            } else if (isNameStart(c)) {
                add(Token.Kind.NAME, endOfName(position + 1));
            } else if (c == '#' || c == ':') {
                int end = endOfName(position + 1);
                Token.Kind kind = c == '#' ? Token.Kind.NAME_PLACEHOLDER : Token.Kind.VALUE_PLACEHOLDER;
                add(end == position + 1 ? Token.Kind.INVALID : kind, end);
            } else if (isDigit(c)) {
                int end = position;
                while (end < text.length() && isDigit(text.charAt(end))) {
                    end++;
                }
                add(Token.Kind.NUMBER, end);
            } else {
                symbol(c);
            }
        }
        tokens.add(new Token(Token.Kind.END, "<EOF>", text.length(), text.length()));
    }

    private void symbol(char c) {
        if (position + 1 < text.length() && (c == '<' || c == '>')) {
            String pair = text.substring(position, position + 2);
            if (pair.indexOf(' ') < 0 && TWO_CHARACTER_SYMBOLS.contains(pair)) {
                add(Token.Kind.SYMBOL, position + 2);
                return;
            }
        }
        add(SYMBOLS.indexOf(c) >= 0 ? Token.Kind.SYMBOL : Token.Kind.INVALID, position + 1);
    }

    private void add(Token.Kind kind, int end) {
        tokens.add(new Token(kind, text.substring(position, end), position, end));
        position = end;
    }

    private int endOfName(int from) {
        int end = from;
        while (end < text.length() && (isNameStart(text.charAt(end)) || isDigit(text.charAt(end)))) {
            end++;
        }
        return end;
    }

    private static boolean isNameStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
