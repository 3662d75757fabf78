package io.millrace.simulation;

import io.millrace.ErrorPolicy;
import io.millrace.PipelineDefinition;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a seed has drawn before its simulation begins: how much there is of everything, and what may go wrong.
 *
 * @param journal whether the pipeline is the {@link Journal}, without state, and not the {@link Ledger}
 * @param balanced whether most amounts are 0, so that most cells are tombstones from the start
 * @param remarks whether so much is kept of each posting that most cells are stored compressed
 * @param deduplicates whether postings are sent again, under their old ids, and dropped before the books
 * @param attempts after how many attempts the stage gives a record up; 0 for never
 * @param undecodableAttempts after how many attempts an undecodable record is given up
 * @param mishapsIn100 how many of a hundred records throw or kill
 * @param misfortunes how many crashes, zombies, redeliveries and the like befall the functions
 * @param grudgeIn100 how often of a hundred times misfortune strikes an invocation of one lane that has just written
 *     something
 * @param daysBetween whether days pass between the first and the second half of the records, so that the first expire
 * @param statements what a seed with event time has drawn beside; null for one without
 */
record Scenario(
        boolean journal,
        int streams,
        int shards,
        int accounts,
        int postings,
        boolean balanced,
        AccountBooks.Kind books,
        boolean remarks,
        boolean deduplicates,
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
        Duration functionTimeout,
        @Nullable StatementScenario statements) {
    private static final int STREAMS_MAX = 2;
    private static final int SHARDS_MAX = 3;
    private static final int ACCOUNTS_MAX = 4;
    private static final int POSTINGS_MIN = 6;
    private static final int POSTINGS_MAX = 22;
    private static final int BATCH_SIZE_MAX = 10;
    private static final int ATTEMPTS_MAX = 3;
    private static final int MISFORTUNES_MAX = 10;
    private static final String REMARK = Account.REMARK + "a remark of some length ".repeat(50);

    /** Draws; every other seed has event time. */
    static Scenario draw(long seed, SplittableRandom random) {
        Scenario scenario = draw(random);
        return seed % 2 == 0 ? scenario.withStatements(StatementScenario.draw(random)) : scenario;
    }

    private static Scenario draw(SplittableRandom random) {
        boolean journal = random.nextInt(4) == 0;
        boolean daysBetween = random.nextInt(3) == 0;
        boolean redrives = random.nextBoolean() && !journal;
        // A posting that is redriven days later can count twice or once, as its id is forgotten or not.
        boolean deduplicates = random.nextInt(4) == 0 && !journal && !(daysBetween && redrives);
        return new Scenario(
                journal,
                random.nextInt(4) == 0 ? STREAMS_MAX : 1,
                1 + random.nextInt(SHARDS_MAX),
                1 + random.nextInt(ACCOUNTS_MAX),
                POSTINGS_MIN + random.nextInt(POSTINGS_MAX - POSTINGS_MIN),
                random.nextInt(4) < (daysBetween ? 3 : 1),
                drawBooks(random),
                random.nextInt(6) == 0,
                deduplicates,
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
                redrives,
                daysBetween,
                random.nextInt(3) == 0 ? Duration.ofSeconds(3) : Duration.ofSeconds(60),
                null);
    }

    /** The same with event time, over one stream: a stage that moves to another stream has a watermark for each. */
    private Scenario withStatements(StatementScenario newStatements) {
        return new Scenario(
                false,
                1,
                shards,
                accounts,
                postings,
                balanced,
                AccountBooks.Kind.VALUE,
                false,
                false,
                batchSize,
                bisects,
                attempts,
                undecodableAttempts,
                mishapsIn100,
                misfortunes,
                weather,
                grudgeIn100,
                shortSequenceNumbers,
                reshards,
                aggregates,
                redrives,
                daysBetween,
                functionTimeout,
                newStatements);
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

    /** The code as it is now, over one of the streams. */
    PipelineDefinition pipeline(String stream, PostingRuns runs) {
        if (statements != null) {
            return new Statements(stream, this, statements, runs);
        }
        return journal ? new Journal(stream, this, runs) : new Ledger(stream, this, runs);
    }

    /** What a posting changes: accounts, or rows where there are no cells. */
    List<String> partsOf(@Nullable Posting posting) {
        if (posting == null) {
            return List.of();
        }
        return journal
                ? posting.accounts().stream()
                        .flatMap(account ->
                                Stream.of(RowContents.latestName(account), RowContents.lineName(account, posting.id())))
                        .toList()
                : posting.accounts();
    }

    /** What is kept of each posting behind its id. */
    String remark() {
        return remarks ? REMARK : "";
    }

    /** Whether the days that pass take the accounts' state. */
    boolean statesExpire() {
        return !journal && books == AccountBooks.Kind.EXPIRING_VALUE;
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
