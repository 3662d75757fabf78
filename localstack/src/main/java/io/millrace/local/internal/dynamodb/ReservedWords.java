package io.millrace.local.internal.dynamodb;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The words that DynamoDB's expressions do not accept as attribute names, in any case; {@code #names} get around them. */
final class ReservedWords {
    private static final String RESOURCE = "reserved-words.txt";
    private static final Set<String> WORDS = read();

    private ReservedWords() {}

    static boolean contains(String name) {
        return WORDS.contains(name.toUpperCase(Locale.ROOT));
    }

    static int count() {
        return WORDS.size();
    }

    private static Set<String> read() {
        try (InputStream stream = ReservedWords.class.getResourceAsStream(RESOURCE)) {
            if (stream == null) {
                throw new IllegalStateException("The resource " + RESOURCE + " is missing beside this class.");
            }
            return new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))
                    .lines()
                    .collect(Collectors.toUnmodifiableSet());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
