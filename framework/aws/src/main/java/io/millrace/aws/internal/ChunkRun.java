package io.millrace.aws.internal;

import io.millrace.aws.BatchReport;
import io.millrace.aws.BatchReport.Count;
import io.millrace.internal.engine.Condemned;
import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.RecordFailure;
import io.millrace.internal.engine.StageTime;
import io.millrace.time.WatermarkStrategy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs and commits a chunk of records, in rounds. A round decodes, loads the cells, runs all records in memory and, only
 * if none failed, commits the writes side by side. Keys whose commit met another writer go into the next round with
 * freshly read cells; all others are done. A record that fails shortens the chunk to the records before it, which are
 * decoded, loaded and run afresh. For one use by one thread.
 */
final class ChunkRun {
    /** How often keys are computed again because other writers came first. */
    static final int ROUNDS_MAX = 60;

    /** What the invocation does at certain moments. */
    interface Hooks {
        /** All keys are known, and the stage's function has not run yet: whether it may. */
        default boolean mayRunKeyed() {
            return true;
        }

        /** The records are decoded, and nothing is committed yet; told again when the chunk became shorter. */
        default void onRouted(long maxTimestamp) {}

        /** A commit has to be tried again; called once at most. */
        default void onDelay() {}
    }

    private final StageRuntime runtime;
    private final Lane lane;
    private final long generation;
    private final StageTime time;
    private final Deadline deadline;
    private final BatchReport report;
    final List<InputRecord> records;
    private final Condemned condemned;
    private final Hooks hooks;
    private final AtomicBoolean delayed = new AtomicBoolean();
    private final Map<String, List<Integer>> indexesByKey = new HashMap<>();
    private final Map<String, Position> committedByKey = new HashMap<>();
    private final Set<String> oneRecordWrites = new HashSet<>();
    private final TreeMap<Position, RecordFailure> undecodable = new TreeMap<>();
    private final Map<Integer, Round.Routed> routed = new HashMap<>();
    private int limit;
    private @Nullable RecordFailure failure;

    ChunkRun(
            StageRuntime runtime,
            Lane lane,
            long generation,
            StageTime time,
            Deadline deadline,
            BatchReport report,
            List<InputRecord> records,
            Condemned condemned,
            Hooks hooks) {
        this.runtime = runtime;
        this.lane = lane;
        this.generation = generation;
        this.time = time;
        this.deadline = deadline;
        this.report = report;
        this.records = records;
        this.condemned = condemned;
        this.hooks = hooks;
        this.limit = records.size();
    }

    ChunkResult run() {
        Set<String> open = null;
        Backoff backoff = new Backoff(runtime.surroundings);
        // A round that fails shortens the chunk, so the number of such rounds is bounded by the chunk's length.
        for (int round = 1, failed = 0; round <= ROUNDS_MAX; round++) {
            Round pass = runtime.stage.newRound(lane, generation, time, condemned);
            if (open == null) {
                routeAll(pass);
                hooks.onRouted(maxTimestampBefore(limit));
            } else {
                routeOnly(pass, open);
            }
            if (round + failed == 1 && limit == records.size() && !hooks.mayRunKeyed()) {
                break;
            }
            Round.Result run =
                    pass.run(open, oneRecordWrites, open == null ? deadline::isPastRunning : deadline::isNear);
            if (run.failure() != null) {
                limitTo(run.failure().position(), run.failure());
                round--;
                failed++;
                continue;
            }
            report.add(Count.DUPLICATES, run.duplicates());
            if (run.stoppedAt() != null) {
                limitTo(run.stoppedAt(), null);
            }
            open = commit(run.writes());
            if (open.isEmpty() || deadline.isNear()) {
                break;
            }
            noteDelay();
            backoff.await(round);
        }
        if (open == null) {
            limit = 0;
            failure = null;
        } else {
            limitToFirstOf(open);
        }
        return result();
    }

    private ChunkResult result() {
        if (limit == 0) {
            return new ChunkResult(0, failure, List.of(), WatermarkStrategy.NO_WATERMARK, 0, committedByKey.isEmpty());
        }
        Position last = records.get(limit - 1).position();
        boolean cleanBehind = committedByKey.values().stream().noneMatch(committed -> committed.compareTo(last) > 0);
        int future = routedBefore(limit).mapToInt(Round.Routed::futureElements).sum();
        return new ChunkResult(
                limit,
                failure,
                List.copyOf(undecodable.headMap(last, true).values()),
                maxTimestampBefore(limit),
                future,
                cleanBehind);
    }

    private Stream<Round.Routed> routedBefore(int end) {
        return routed.entrySet().stream()
                .filter(record -> record.getKey() < end)
                .map(Map.Entry::getValue);
    }

    private long maxTimestampBefore(int end) {
        return routedBefore(end).mapToLong(Round.Routed::maxTimestamp).max().orElse(WatermarkStrategy.NO_WATERMARK);
    }

    /** Decodes and divides all records up to the limit. */
    private void routeAll(Round pass) {
        indexesByKey.clear();
        for (int i = 0; i < limit; i++) {
            if (i > 0 && deadline.isPastRunning()) {
                limitTo(records.get(i).position(), null);
                break;
            }
            for (String key : route(pass, i)) {
                indexesByKey.computeIfAbsent(key, absent -> new ArrayList<>()).add(i);
            }
        }
    }

    /** Decodes and divides the records up to the limit that have one of these keys and are not known to be committed. */
    private void routeOnly(Round pass, Set<String> open) {
        TreeSet<Integer> indexes = new TreeSet<>();
        open.forEach(key -> indexes.addAll(indexesLeft(key)));
        for (int i : indexes) {
            if (i < limit) {
                route(pass, i);
            }
        }
    }

    /** The keys of a record; none if it failed. */
    private Set<String> route(Round pass, int index) {
        InputRecord record = records.get(index);
        if (undecodable.containsKey(record.position())) {
            return Set.of();
        }
        try {
            Round.Routed known = pass.route(record);
            routed.put(index, known);
            return known.keys();
        } catch (RecordFailure failed) {
            boolean deadLetterAtOnce = failed.kind() == RecordFailure.Kind.UNDECODABLE
                    && runtime.plan().source().undecodablePolicy().exhausted(1);
            if (deadLetterAtOnce) {
                undecodable.put(record.position(), failed);
            } else {
                limitTo(record.position(), failed);
            }
            return Set.of();
        }
    }

    /** Commits writes side by side, each key's one after the other, and returns the keys that are not done. */
    private Set<String> commit(Map<String, List<PendingWrite>> writes) {
        List<Callable<KeyCommit>> tasks = new ArrayList<>();
        writes.forEach((key, chain) -> {
            if (!chain.isEmpty()) {
                tasks.add(new KeyCommit(runtime, key, chain, deadline, this::noteDelay)::run);
            }
        });
        Set<String> open = new LinkedHashSet<>();
        for (KeyCommit commit : runtime.io.runAll(tasks)) {
            commit.addTo(report);
            if (commit.lastCommitted() != null) {
                committedByKey.put(commit.key(), commit.lastCommitted());
            }
            if (!commit.isDone()) {
                open.add(commit.key());
                onRefused(commit);
            }
        }
        return open;
    }

    /** DynamoDB can never take a write: of one record, it is that record's failure; of several, each is tried alone. */
    private void onRefused(KeyCommit commit) {
        RecordFailure refused = commit.refused();
        if (refused != null && commit.refusedWorks() > 1) {
            oneRecordWrites.add(commit.key());
        } else if (refused != null) {
            limitTo(refused.position(), refused);
        }
    }

    private void noteDelay() {
        if (delayed.compareAndSet(false, true)) {
            hooks.onDelay();
        }
    }

    private void limitTo(Position position, @Nullable RecordFailure newFailure) {
        for (int i = 0; i < limit; i++) {
            if (records.get(i).position().compareTo(position) >= 0) {
                limit = i;
                failure = newFailure;
                return;
            }
        }
    }

    /** Keys were left undone: nothing from the first of their records on that is not known to be committed is done. */
    private void limitToFirstOf(Set<String> open) {
        for (String key : open) {
            List<Integer> left = indexesLeft(key);
            if (!left.isEmpty()) {
                limitTo(records.get(left.get(0)).position(), null);
            }
        }
    }

    /** The records of a key that are not known to be committed. */
    private List<Integer> indexesLeft(String key) {
        Position committed = committedByKey.get(key);
        return indexesByKey.getOrDefault(key, List.of()).stream()
                .filter(i -> committed == null || records.get(i).position().compareTo(committed) > 0)
                .toList();
    }
}
