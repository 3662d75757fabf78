package io.millrace.aws.internal;

import io.millrace.TimeDomain;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * How far one bucket of due cells is swept, and the lease on it. Its steps that send requests may run on any thread, one
 * after the other; they return whether the bucket is still open.
 */
final class BucketSweep {
    private final DueIndex index;
    private final SweepLeases leases;
    private final DueTimes dueTimes;
    private final SweepLeases.Bucket bucket;
    private final long upTo;
    private final Set<String> leftOut = new HashSet<>();
    private SweepLeases.@Nullable Lease lease;
    private SweepLeases.@Nullable Firing death;
    private Map<String, AttributeValue> from = Map.of();
    private List<String> page = List.of();
    private boolean atEnd;
    private boolean cut;
    private boolean swept;

    /** @param upTo what is due at this time or before is swept */
    BucketSweep(DueIndex index, SweepLeases leases, DueTimes dueTimes, SweepLeases.Bucket bucket, long upTo) {
        this.index = index;
        this.leases = leases;
        this.dueTimes = dueTimes;
        this.bucket = bucket;
        this.upTo = upTo;
    }

    private TimeDomain domain() {
        return bucket.domain();
    }

    /** Looks whether something is due, and takes the lease if so. Nothing is written for a bucket without due cells. */
    boolean begin() {
        dueTimes.begin(domain(), bucket.number());
        boolean known = false;
        try {
            Long first = index.first(domain(), bucket.indexName());
            swept = first == null || first > upTo;
            if (swept) {
                lower(first);
            } else {
                lease = leases.take(bucket);
                death = lease == null ? null : lease.firing();
            }
            known = swept || lease != null;
            return lease != null;
        } finally {
            if (!known) {
                lower(DueTimes.AT_ONCE);
            }
        }
    }

    private void lower(@Nullable Long due) {
        if (due != null) {
            dueTimes.lower(domain(), bucket.number(), due);
        }
    }

    /** Whether the lease is held. */
    boolean isHeld() {
        return lease != null;
    }

    /** Whether there is more to do here, under a lease that is held. */
    boolean isOpen() {
        return isHeld() && !cut && !(atEnd && page.isEmpty());
    }

    /** Whether all that was due here was met. */
    boolean isSwept() {
        return swept;
    }

    boolean nextPage() {
        DueIndex.Page next = index.due(domain(), bucket.indexName(), upTo, from);
        page = next.partitionKeys();
        from = next.last();
        atEnd = from.isEmpty();
        return isOpen();
    }

    /** The cells of the page that was read last. */
    List<String> takePage() {
        List<String> taken = page;
        page = List.of();
        return taken;
    }

    /** The timer at which the holder before died; null if it did not die at one, or that was asked for already. */
    SweepLeases.@Nullable Firing takeDeath() {
        SweepLeases.Firing taken = death;
        death = null;
        return taken;
    }

    /** Sweeps on without a cell, at which processes die. */
    void leaveOut(String partitionKey) {
        leftOut.add(partitionKey);
    }

    boolean isLeftOut(String partitionKey) {
        return leftOut.contains(partitionKey);
    }

    boolean isCareful() {
        return lease != null && lease.isCareful();
    }

    /** Notes a timer that is about to fire; false if the lease is lost. */
    boolean noteFiring(SweepLeases.Firing firing) {
        if (lease != null) {
            lease = leases.noting(lease, firing);
        }
        return lease != null;
    }

    boolean needsRenewal() {
        return lease != null && leases.isToBeRenewed(lease);
    }

    boolean renew() {
        if (lease != null) {
            lease = leases.renewed(lease);
        }
        return lease != null;
    }

    /** Stops before the end: what is left is still due. */
    void cut() {
        cut = true;
    }

    /** Ends the sweep of the bucket, at its end or before, and gives the lease back. */
    boolean end() {
        if (atEnd && !cut && lease != null) {
            lower(index.firstBehind(domain(), bucket.indexName(), upTo));
            swept = true;
        }
        if (!swept) {
            lower(DueTimes.AT_ONCE);
        }
        if (lease != null) {
            leases.release(lease, swept && leftOut.isEmpty());
            lease = null;
        }
        return false;
    }
}
