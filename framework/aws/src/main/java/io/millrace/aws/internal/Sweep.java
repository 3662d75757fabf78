package io.millrace.aws.internal;

import io.millrace.TimeDomain;
import io.millrace.aws.BatchReport;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.StageTime;
import io.millrace.internal.engine.TimerItems;
import io.millrace.time.WatermarkStrategy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;

/**
 * The firing of all due timers of a stage, whether or not records of their keys come, by the protocol page ("The sweep"). It
 * asks the index for due cells bucket by bucket, a page of each at a time, reads each cell consistently, and commits what
 * its timers do under the cell's version. It holds {@value #CELLS_MAX} cells at once, sends {@link
 * IoExecutor#PARALLEL_REQUESTS_MAX} requests at once, and stops when the time is short: what is left is still due. For one
 * use by one thread.
 */
final class Sweep {
    /** How many cells, and what their timers put out, are in memory at once. */
    static final int CELLS_MAX = BatchReads.KEYS_MAX;

    private final StageRuntime runtime;
    private final KeyedWork work;
    private final long generation;
    private final StageTime time;
    private final Deadline deadline;
    private final BatchReport report;
    private boolean complete = true;
    private int failed;
    private int skipped;

    Sweep(
            StageRuntime runtime,
            KeyedWork work,
            long generation,
            StageTime time,
            Deadline deadline,
            BatchReport report) {
        this.runtime = runtime;
        this.work = work;
        this.generation = generation;
        this.time = time;
        this.deadline = deadline;
        this.report = report;
        work.dueTimes.setGeneration(generation);
    }

    /**
     * What a sweep did.
     *
     * @param complete whether all buckets were swept to their ends
     * @param failed how many cells have a timer that failed and is still there
     * @param skipped how many cells another writer came first at
     */
    record Result(boolean complete, int failed, int skipped) {}

    /** Sweeps the buckets in which something is due, as far as this container knows. */
    Result runWhereDue() {
        return run(false);
    }

    /** Sweeps all buckets. */
    Result runEverywhere() {
        return run(true);
    }

    private Result run(boolean everywhere) {
        for (TimeDomain domain : TimeDomain.values()) {
            if (domain == TimeDomain.EVENT_TIME && time.watermark() == WatermarkStrategy.NO_WATERMARK) {
                continue;
            }
            List<BucketSweep> buckets = new ArrayList<>();
            for (int bucket = 0; bucket < TimerItems.BUCKETS; bucket++) {
                if (everywhere || work.dueTimes.isDue(domain, bucket, now(domain))) {
                    buckets.add(new BucketSweep(
                            runtime.dueIndex,
                            runtime.leases,
                            work.dueTimes,
                            new SweepLeases.Bucket(runtime.plan().uid(), generation, domain, bucket),
                            now(domain)));
                }
            }
            sweep(buckets);
        }
        return new Result(complete, failed, skipped);
    }

    private long now(TimeDomain domain) {
        return domain == TimeDomain.EVENT_TIME ? time.watermark() : time.clock().toEpochMilli();
    }

    /** An error that ends the process leaves the leases as they are: that is how the next sweeper learns of it. */
    private void sweep(List<BucketSweep> buckets) {
        boolean ended = false;
        try {
            runAll(buckets, BucketSweep::begin);
            List<BucketSweep> open = open(buckets);
            while (!open.isEmpty() && !deadline.isNear()) {
                runAll(open, BucketSweep::nextPage);
                open.forEach(this::meetDeath);
                firePages(open);
                runAll(open.stream().filter(bucket -> !bucket.isOpen()).toList(), BucketSweep::end);
                open = open(open);
            }
            ended = true;
        } catch (RuntimeException e) {
            endAfter(e, buckets);
            throw e;
        } finally {
            complete &= ended;
        }
        runAll(held(buckets), BucketSweep::end);
        complete &= buckets.stream().allMatch(BucketSweep::isSwept);
    }

    private void endAfter(RuntimeException cause, List<BucketSweep> buckets) {
        try {
            runAll(held(buckets), BucketSweep::end);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    private static List<BucketSweep> held(List<BucketSweep> buckets) {
        return buckets.stream().filter(BucketSweep::isHeld).toList();
    }

    private static List<BucketSweep> open(List<BucketSweep> buckets) {
        return buckets.stream().filter(BucketSweep::isOpen).toList();
    }

    private void runAll(List<BucketSweep> buckets, Function<BucketSweep, Boolean> step) {
        if (!buckets.isEmpty()) {
            runtime.io.runAll(buckets.stream()
                    .<Callable<Boolean>>map(bucket -> () -> step.apply(bucket))
                    .toList());
        }
    }

    /** The holder of a lease before died while a timer fired alone: that is counted, and the timer is left out this time. */
    private void meetDeath(BucketSweep bucket) {
        SweepLeases.Firing firing = bucket.takeDeath();
        if (firing != null) {
            Cell cell =
                    work.timers.load(generation, List.of(firing.cell()), report).get(firing.cell());
            if (cell != null && work.timers.countDeath(cell, firing.timer(), firing.attempts(), report)) {
                bucket.leaveOut(firing.cell());
                failed++;
            }
        }
    }

    private void firePages(List<BucketSweep> open) {
        List<Due> due = new ArrayList<>();
        for (BucketSweep bucket : open) {
            List<String> page = bucket.takePage();
            if (bucket.isCareful()) {
                fireWithCare(bucket, page);
            } else {
                page.forEach(partitionKey -> due.add(new Due(bucket, partitionKey)));
            }
        }
        for (int from = 0; from < due.size(); from += CELLS_MAX) {
            fire(due.subList(from, Math.min(due.size(), from + CELLS_MAX)));
            runAll(open.stream().filter(BucketSweep::needsRenewal).toList(), BucketSweep::renew);
        }
    }

    private record Due(BucketSweep bucket, String partitionKey) {}

    /** The code runs on this thread, cell by cell; what comes of it is committed side by side. */
    private void fire(List<Due> chunk) {
        Map<String, Cell> cells = work.timers.load(
                generation, chunk.stream().map(Due::partitionKey).distinct().toList(), report);
        List<TimerRun.Fired> fired = new ArrayList<>();
        for (Due due : chunk) {
            if (deadline.isNear()) {
                due.bucket().cut();
                continue;
            }
            Cell cell = cells.get(due.partitionKey());
            if (cell != null) {
                TimerRun.Fired one = work.timers.fire(cell, time, report);
                if (!one.hasNothing()) {
                    fired.add(one);
                }
            }
        }
        commit(fired);
    }

    private void commit(List<TimerRun.Fired> fired) {
        if (fired.isEmpty()) {
            return;
        }
        List<TimerRun.Progress> progress = runtime.io.runAll(fired.stream()
                .<Callable<TimerRun.Progress>>map(one -> () -> work.timers.commit(one))
                .toList());
        for (int i = 0; i < fired.size(); i++) {
            note(work.timers.conclude(fired.get(i), progress.get(i), time, deadline, report));
        }
    }

    private void note(TimerRun.Result result) {
        switch (result.end()) {
            case DONE -> {}
            case FAILED -> failed++;
            case SKIPPED -> skipped++;
        }
    }

    /** Each timer is noted in the lease before it fires, and fires alone. */
    private void fireWithCare(BucketSweep bucket, Collection<String> page) {
        for (String partitionKey : page) {
            if (bucket.isLeftOut(partitionKey)) {
                continue;
            }
            if (deadline.isNear() || !bucket.isHeld()) {
                bucket.cut();
                return;
            }
            Cell cell =
                    work.timers.load(generation, List.of(partitionKey), report).get(partitionKey);
            if (cell != null) {
                note(work.timers.fireOneByOne(
                        cell,
                        time,
                        deadline,
                        (timer, attempts) -> bucket.noteFiring(new SweepLeases.Firing(partitionKey, timer, attempts)),
                        report));
            }
        }
    }
}
