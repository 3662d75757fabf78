package io.millrace.simulation;

import io.millrace.ErrorPolicy;
import java.time.Duration;
import java.util.SplittableRandom;

/**
 * What a seed has drawn before its simulation begins: how much there is of everything, and what may go wrong.
 *
 * @param balanced whether most amounts are 0, so that most cells are tombstones from the start
 * @param attempts after how many attempts the stage gives a record up; 0 for never
 * @param undecodableAttempts after how many attempts an undecodable record is given up
 * @param mishapsIn100 how many of a hundred records throw or kill
 * @param misfortunes how many crashes, zombies, redeliveries and the like befall the functions
 * @param grudgeIn100 how often of a hundred times misfortune strikes an invocation of one lane that has just written
 *     something
 * @param daysBetween whether days pass between the first and the second half of the records, so that the first expire
 */
record Scenario(
        int streams,
        int shards,
        int accounts,
        int postings,
        boolean balanced,
        AccountBooks.Kind books,
        int batchSize,
        boolean bisects,
        int attempts,
        int undecodableAttempts,
        int mishapsIn100,
        int misfortunes,
        Weather weather,
        int grudgeIn100,
        boolean shortSequenceNumbers,
        boolean reshards,
        boolean aggregates,
        boolean redrives,
        boolean daysBetween,
        Duration functionTimeout) {
    private static final int STREAMS_MAX = 2;
    private static final int SHARDS_MAX = 3;
    private static final int ACCOUNTS_MAX = 4;
    private static final int POSTINGS_MIN = 6;
    private static final int POSTINGS_MAX = 22;
    private static final int BATCH_SIZE_MAX = 10;
    private static final int ATTEMPTS_MAX = 3;
    private static final int MISFORTUNES_MAX = 10;

    static Scenario draw(SplittableRandom random) {
        boolean daysBetween = random.nextInt(3) == 0;
        return new Scenario(
                random.nextInt(4) == 0 ? STREAMS_MAX : 1,
                1 + random.nextInt(SHARDS_MAX),
                1 + random.nextInt(ACCOUNTS_MAX),
                POSTINGS_MIN + random.nextInt(POSTINGS_MAX - POSTINGS_MIN),
                random.nextInt(4) < (daysBetween ? 3 : 1),
                drawBooks(random),
                1 + random.nextInt(BATCH_SIZE_MAX),
                random.nextInt(4) == 0,
                random.nextInt(ATTEMPTS_MAX + 1),
                1 + random.nextInt(ATTEMPTS_MAX),
                random.nextInt(3) == 0 ? 0 : 5 + random.nextInt(30),
                random.nextInt(5) == 0 ? 0 : 1 + random.nextInt(MISFORTUNES_MAX),
                drawWeather(random),
                drawGrudge(random),
                random.nextInt(3) == 0,
                random.nextInt(3) == 0,
                random.nextInt(3) == 0,
                random.nextBoolean(),
                daysBetween,
                random.nextInt(3) == 0 ? Duration.ofSeconds(3) : Duration.ofSeconds(60));
    }

    private static AccountBooks.Kind drawBooks(SplittableRandom random) {
        AccountBooks.Kind[] kinds = AccountBooks.Kind.values();
        return random.nextBoolean() ? AccountBooks.Kind.VALUE : kinds[random.nextInt(kinds.length)];
    }

    private static int drawGrudge(SplittableRandom random) {
        return switch (random.nextInt(8)) {
            case 0 -> 90;
            case 1 -> 50;
            default -> 0;
        };
    }

    private static Weather drawWeather(SplittableRandom random) {
        return switch (random.nextInt(10)) {
            case 0, 1, 2, 3, 4 -> Weather.CALM;
            case 5, 6 -> Weather.FAULTY;
            case 7 -> Weather.STORMY;
            default -> Weather.SLOW;
        };
    }

    /** How many records are sent before days pass: few if most cells are tombstones, so that each is written about once. */
    int postingsBeforeDays() {
        return balanced ? Math.min(accounts, postings / 2) : postings / 2;
    }

    ErrorPolicy errorPolicy() {
        return attempts == 0 ? ErrorPolicy.fail() : ErrorPolicy.retryThenDeadLetter(attempts);
    }

    ErrorPolicy undecodablePolicy() {
        return ErrorPolicy.retryThenDeadLetter(undecodableAttempts);
    }
}
