package io.millrace.simulation;

import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Holds each dead letter to its reason: a record is given up only for what it did, and not before its attempts are used. */
final class DeadLetterAudit {
    // The protocol page's numbers, not the shell's constants: the audit must not follow a change of those.
    /** After so many deaths in giving a record up it is given up without its keys. */
    private static final int GIVING_UPS_MAX = 3;

    /** A record whose key is unknown is given up after so many deaths, whatever the policy. */
    private static final int UNKEYED_DEATHS_MIN = 3;

    private final Scenario scenario;
    private final PostingRuns runs;
    private final Exercised exercised;
    private final List<Invocation> invocations;

    /** @param invocations all that ever began, kept by the simulation */
    DeadLetterAudit(Scenario scenario, PostingRuns runs, Exercised exercised, List<Invocation> invocations) {
        this.scenario = scenario;
        this.runs = runs;
        this.exercised = exercised;
        this.invocations = invocations;
    }

    /** Takes a part of a record that is given up in this very transaction out of its dead letters; whether it is there. */
    boolean take(String account, SentRecord record, List<DeadLetterItem> letters) {
        Iterator<DeadLetterItem> iterator = letters.iterator();
        while (iterator.hasNext()) {
            DeadLetterItem letter = iterator.next();
            if (record == letter.record() && account.equals(letter.account())) {
                iterator.remove();
                check(letter);
                record.deadAt(account);
                return true;
            }
        }
        return false;
    }

    void check(DeadLetterItem letter) {
        boolean justified = letter.isGap()
                ? isGapReal(letter)
                : switch (letter.kind()) {
                    case "UNDECODABLE" -> letter.record().posting() == null && letter.account() == null;
                    case "KEY_UNKNOWN" -> isUnknownKey(letter);
                    case "FUNCTION_THREW" -> hasThrown(letter);
                    case "UNACCEPTABLE" -> mishapOf(letter) == Posting.Mishap.PUTS_OUT_TOO_MUCH;
                    case "PROCESS_KILLED" -> hasKilled(letter);
                    default -> false;
                };
        if (!justified) {
            throw new BrokenRule(Rules.GIVEN_UP_RIGHTLY, letter.record().lane().name(), "without reason: " + letter);
        }
    }

    /**
     * Checks a record that is given up without its keys and absorbed all the same. The protocol allows it where nothing can
     * know: parts that were run in a batch, by an invocation that died or is taken for dead, and whose keys no later attempt
     * lived long enough to note; and parts of a record whose giving up has killed the process again and again.
     */
    void checkAbsorbed(SentRecord record, String account, @Nullable Invocation writer) {
        if (scenario.journal()) {
            checkWritten(record, account);
            return;
        }
        boolean alone = record.isAbsorbedAlone() || (writer != null && writer.ranAlone(record.position()));
        if (alone && record.givingUps() < GIVING_UPS_MAX) {
            throw new BrokenRule(
                    Rules.ACCOUNTED_ONCE,
                    account,
                    record + " is a dead letter without a key, and absorbed at account " + account);
        }
        exercised.count(Exercised.Event.UNKNOWABLE_PARTS);
    }

    /**
     * Checks a record of the journal that is given up, and of which a row is written all the same: earlier attempts wrote
     * some of its rows, or a zombie does. It must be one whose code comes to its rows at all.
     */
    private void checkWritten(SentRecord record, String row) {
        Posting posting = record.posting();
        if (posting == null || (posting.mishap() != Posting.Mishap.NONE && !runs.isMended())) {
            throw new BrokenRule(
                    Rules.ACCOUNTED_ONCE, row, record + " is a dead letter, and absorbed by the row " + row);
        }
        exercised.count(Exercised.Event.UNKNOWABLE_PARTS);
    }

    /** Checks a record that is given up without its keys: nothing of it may be committed, or only as above. */
    void checkWithoutKey(DeadLetterItem letter) {
        SentRecord record = letter.record();
        if (record.isDeadAnywhere() && record.givingUps() < GIVING_UPS_MAX) {
            throw new BrokenRule(
                    Rules.ACCOUNTED_ONCE, record.lane().name(), record + " is a dead letter with and without its keys");
        }
        for (String account : record.parts()) {
            if (record.isAbsorbedBy(account)) {
                checkAbsorbed(record, account, null);
            }
        }
    }

    private static boolean isGapReal(DeadLetterItem letter) {
        return !letter.gap().isEmpty();
    }

    private boolean isUnknownKey(DeadLetterItem letter) {
        return mishapOf(letter) == Posting.Mishap.THROWS_BEFORE_ITS_KEY
                && !scenario.journal()
                && letter.account() == null
                && attempts(letter) >= scenario.attempts();
    }

    private boolean hasThrown(DeadLetterItem letter) {
        Posting posting = letter.record().posting();
        String account = letter.account();
        if (scenario.journal()) {
            return account == null && throwsInJournal(posting) && attempts(letter) >= scenario.attempts();
        }
        if (posting == null || account == null) {
            return false;
        }
        boolean throwsHere = switch (posting.mishap()) {
            case THROWS, THROWS_AT_ODD_BALANCE -> true;
            case THROWS_AT_ITS_LAST_ACCOUNT -> posting.isLast(account);
            default -> false;
        };
        return throwsHere && attempts(letter) >= scenario.attempts();
    }

    /** Without state there are no keys, and no balance to depend on. */
    private static boolean throwsInJournal(@Nullable Posting posting) {
        return posting != null
                && switch (posting.mishap()) {
                    case THROWS, THROWS_AT_ODD_BALANCE, THROWS_AT_ITS_LAST_ACCOUNT, THROWS_BEFORE_ITS_KEY -> true;
                    default -> false;
                };
    }

    private boolean hasKilled(DeadLetterItem letter) {
        if (letter.record().posting() == null) {
            return deaths(letter) > 0 && letter.account() == null;
        }
        boolean keyed = letter.account() != null || letter.record().givingUps() >= GIVING_UPS_MAX;
        int attemptsMin = keyed ? scenario.attempts() : Math.max(UNKEYED_DEATHS_MIN, scenario.attempts());
        return deaths(letter) > 0 && attempts(letter) >= attemptsMin;
    }

    /** How often a record can have been tried at most: how often it threw, and how often the process died beside it. */
    private int attempts(DeadLetterItem letter) {
        return scenario.attempts() == 0 ? -1 : timesThrown(letter) + deaths(letter);
    }

    /** How often an invocation ran the record alone, and then died, was taken for dead, or still runs. */
    private int deaths(DeadLetterItem letter) {
        SentRecord record = letter.record();
        return invocations.stream()
                .filter(invocation -> invocation.lane() == record.lane())
                .mapToInt(invocation -> invocation.leftOpen(record.position()))
                .sum();
    }

    /** How often a record that throws was run: by the stage's function, or by what comes before it. */
    private int timesThrown(DeadLetterItem letter) {
        Posting posting = letter.record().posting();
        if (posting == null) {
            return 0;
        }
        return switch (posting.mishap()) {
            case NONE, KILLS, KILLS_BEFORE_ITS_KEY -> 0;
            case THROWS_BEFORE_ITS_KEY -> runs.beforeKey(posting);
            default -> scenario.journal() ? runs.beforeKey(posting) : timesRunAtMost(posting);
        };
    }

    /** A record is run for all its keys in each attempt, so another key may have used up the attempts. */
    private int timesRunAtMost(Posting posting) {
        return posting.accounts().stream()
                .mapToInt(account -> runs.at(posting, account))
                .max()
                .orElse(0);
    }

    private static Posting.Mishap mishapOf(DeadLetterItem letter) {
        Posting posting = letter.record().posting();
        return posting == null ? Posting.Mishap.NONE : posting.mishap();
    }
}
