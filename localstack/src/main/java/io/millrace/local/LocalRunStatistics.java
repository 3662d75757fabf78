package io.millrace.local;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link LocalRun} has done so far, over all stages.
 *
 * @param acknowledged records that the mappings are through with
 * @param invocations invocations that reached a function, repetitions included
 * @param redelivered records that reached a function more than once, counted each further time
 * @param duplicates of them, those (or one key's part of them) that were committed before and so were suppressed
 * @param conflicts units that another writer came before, and that were computed again
 * @param deadLetters dead letters written
 * @param discarded records that a mapping gave up on
 * @param ticks ticks that were begun, those that ended the input included
 * @param timersFired timers that fired, in batches and ticks; what a crashed one fired is not counted, and what a twin that lost did is
 * @param late elements that were too late for their windows and were dropped; those of a late output are not among them
 * @param lastFailure why the last failed batch, or else the last failed tick, failed; null if none did
 * @param injected how often each fault was injected; empty without chaos
 */
public record LocalRunStatistics(
        long acknowledged,
        long invocations,
        long redelivered,
        long duplicates,
        long conflicts,
        long deadLetters,
        long discarded,
        long ticks,
        long timersFired,
        long late,
        @Nullable String lastFailure,
        Map<String, Long> injected) {}
