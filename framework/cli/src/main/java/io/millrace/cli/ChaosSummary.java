package io.millrace.cli;

import io.millrace.cli.Example.Board.Fact;
import io.millrace.local.LocalRunStatistics;
import io.millrace.local.ProcessChaos.Misfortune;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a chaos run did, in numbers, and how that is written.
 *
 * @param published records that this run put into the stream
 * @param batchRecords the most records of a batch
 * @param processes processes started
 * @param invocationsByVersion invocations that a process has begun, by the version of its Java
 */
record ChaosSummary(
        String pipeline,
        String place,
        long published,
        int batchRecords,
        Duration duration,
        LocalRunStatistics statistics,
        Map<Misfortune, Long> injected,
        int processes,
        Map<String, Long> invocationsByVersion,
        long duplicates,
        long conflicts,
        long timersFired,
        Map<Misfortune, Long> injectedIntoTicks) {

    static ChaosSummary of(
            String pipeline,
            String place,
            long published,
            int batchRecords,
            Duration duration,
            LocalRunStatistics statistics,
            ChaosFunctions functions) {
        return new ChaosSummary(
                pipeline,
                place,
                published,
                batchRecords,
                duration,
                statistics,
                functions.injected(),
                functions.processes(),
                functions.invocationsByVersion(),
                functions.logs().sum(FunctionLogs.DUPLICATES),
                functions.logs().sum(FunctionLogs.CONFLICTS),
                functions.logs().sum(FunctionLogs.TIMERS) + statistics.timersFired(),
                functions.injectedIntoTicks());
    }

    static long kills(Map<Misfortune, Long> injected) {
        return count(injected, Misfortune.KILL_BEFORE_FIRST_EVENT)
                + count(injected, Misfortune.KILL_DURING)
                + count(injected, Misfortune.KILL_AFTER_ANSWER);
    }

    static long timeOuts(Map<Misfortune, Long> injected) {
        return count(injected, Misfortune.TIME_OUT) + count(injected, Misfortune.TIME_OUT_STOPPED);
    }

    private static long count(Map<Misfortune, Long> injected, Misfortune misfortune) {
        return injected.getOrDefault(misfortune, 0L);
    }

    List<String> lines() {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact("published", format("%,d records", published)));
        facts.add(
                new Fact("records", format("%,d in %.1f s", statistics.acknowledged(), duration.toMillis() / 1_000.0)));
        facts.add(new Fact("invocations", format("%,d, of up to %,d records", statistics.invocations(), batchRecords)));
        facts.add(new Fact("processes started", format("%,d", processes)));
        facts.add(new Fact(
                "kills (kill -9)",
                format(
                        "%,d: %,d before the first event, %,d during a batch, %,d just after the answer",
                        kills(injected),
                        count(injected, Misfortune.KILL_BEFORE_FIRST_EVENT),
                        count(injected, Misfortune.KILL_DURING),
                        count(injected, Misfortune.KILL_AFTER_ANSWER))));
        facts.add(new Fact(
                "time-outs",
                format(
                        "%,d with the old process going on, %,d of them stopped for a while",
                        timeOuts(injected), count(injected, Misfortune.TIME_OUT_STOPPED))));
        facts.add(new Fact("redeliveries", format("%,d records", statistics.redelivered())));
        facts.add(new Fact("duplicates suppressed", format("%,d, not counting killed processes", duplicates)));
        facts.add(new Fact("conflicts", format("%,d, not counting killed processes", conflicts)));
        facts.add(new Fact("timers fired", format("%,d, not counting killed processes", timersFired)));
        facts.add(new Fact(
                "ticks",
                format(
                        "%,d, of them %,d killed, %,d timed out with the old process going on",
                        statistics.ticks(), kills(injectedIntoTicks), timeOuts(injectedIntoTicks))));
        facts.add(new Fact(
                "Java",
                invocationsByVersion.entrySet().stream()
                        .map(java -> java.getKey() + " " + format("%,d invocations", java.getValue()))
                        .collect(Collectors.joining(", "))));
        return RunSummary.layOut("Summary of the chaos over " + pipeline + " on " + place, facts);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
