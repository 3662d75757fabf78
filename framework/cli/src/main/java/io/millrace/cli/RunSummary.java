package io.millrace.cli;

import io.millrace.cli.Example.Board.Fact;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a run did, in numbers, and how that is written.
 *
 * @param published records that this run put into the stream
 * @param brokenLines lines of the input that were passed over
 * @param records records that the stages worked off
 * @param invocations batches given to the functions, repetitions included
 * @param redeliveries records delivered more than once
 * @param duplicates of them, those (or one key's part of them) that were committed before and so were suppressed
 * @param conflicts commits that another writer came before, and that were computed again
 * @param deadLetters records given up
 * @param timersFired timers that fired, those that close windows among them
 * @param ticks ticks of the stages
 * @param late elements that came too late and were dropped
 * @param requests DynamoDB requests
 * @param lastFailure why the last failed batch failed; null if none did
 * @param injected what the chaos injected; null without chaos
 */
record RunSummary(
        String pipeline,
        String place,
        long published,
        long brokenLines,
        long records,
        Duration processing,
        long invocations,
        long redeliveries,
        long duplicates,
        long conflicts,
        long deadLetters,
        long timersFired,
        long ticks,
        long late,
        long requests,
        double readUnits,
        double writeUnits,
        @Nullable String lastFailure,
        @Nullable Map<String, Long> injected) {
    private static final int LABEL_CHARACTERS = 22;

    /** The summary's lines, with what the board says at the end. */
    List<String> lines(List<Fact> boardFacts) {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact("published", format("%,d records", published) + broken()));
        double seconds = Math.max(1, processing.toMillis()) / 1_000.0;
        facts.add(new Fact(
                "records", format("%,d in %.1f s, %,d records/s", records, seconds, Math.round(records / seconds))));
        facts.add(new Fact("batches", format("%,d", invocations)));
        facts.add(new Fact("redeliveries", format("%,d records", redeliveries)));
        facts.add(new Fact("duplicates suppressed", format("%,d", duplicates)));
        facts.add(new Fact("conflicts", format("%,d", conflicts)));
        facts.add(new Fact("dead letters", format("%,d", deadLetters)));
        facts.add(new Fact("timers fired", format("%,d, with batches and in %,d ticks", timersFired, ticks)));
        facts.add(new Fact("late, dropped", format("%,d", late)));
        facts.add(new Fact("DynamoDB requests", format("%,d", requests) + perThousand((double) requests)));
        facts.add(new Fact(
                "write units", format("%,.0f", writeUnits) + perThousand(writeUnits) + "; refused writes not counted"));
        facts.add(new Fact("read units", format("%,.0f", readUnits) + perThousand(readUnits)));
        facts.add(new Fact(
                "estimated cost", new CostEstimate(readUnits, writeUnits, invocations, published).describe(records)));
        if (lastFailure != null && injected == null) {
            facts.add(new Fact("last failed batch", lastFailure));
        }
        if (injected != null) {
            facts.add(new Fact("injected faults", injectedText(injected)));
        }
        facts.addAll(boardFacts);
        return layOut("Summary of " + pipeline + " on " + place, facts);
    }

    /** A title and below it the facts, their values in a column. */
    static List<String> layOut(String title, List<Fact> facts) {
        List<String> lines = new ArrayList<>();
        lines.add(title);
        facts.forEach(fact -> lines.add("  " + padded(fact.name()) + " " + fact.value()));
        return lines;
    }

    private String broken() {
        return brokenLines == 0 ? "" : format(", %,d broken lines passed over", brokenLines);
    }

    private String perThousand(double count) {
        return records == 0 ? "" : format(", %,.1f per 1,000 records", count * 1_000 / records);
    }

    private static String injectedText(Map<String, Long> injected) {
        String text = injected.entrySet().stream()
                .filter(fault -> fault.getValue() > 0)
                .map(fault -> fault.getKey() + " " + format("%,d", fault.getValue()))
                .collect(Collectors.joining(", "));
        return text.isEmpty() ? "none" : text;
    }

    private static String padded(String label) {
        return label + " ".repeat(Math.max(0, LABEL_CHARACTERS - label.length()));
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
