package io.millrace.aws;

import java.util.Random;

/** Text that can hardly be compressed: to three quarters. The same each time. */
final class RandomText {
    private static final char FIRST = '#';
    private static final int CHARACTERS = '[' - FIRST + 1;

    private RandomText() {}

    static String of(long seed, int length) {
        Random random = new Random(seed);
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) (FIRST + random.nextInt(CHARACTERS)));
        }
        return text.toString();
    }
}
