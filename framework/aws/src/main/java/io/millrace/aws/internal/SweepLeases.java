package io.millrace.aws.internal;

import io.millrace.MillraceException;
import io.millrace.TimeDomain;
import io.millrace.internal.engine.Timer;
import io.millrace.internal.engine.TimerItems;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;

/**
 * The leases on buckets of due cells: who holds one sweeps, others leave the bucket alone. Nothing is right because of them,
 * since two sweepers that meet are told apart by the cells' versions: they save work, and tell of sweepers that died.
 * Thread-safe.
 */
final class SweepLeases {
    /**
     * How long a lease holds unless it is renewed, if the surroundings say nothing else: as long as a bucket waits for a sweeper
     * that died.
     */
    static final long LEASE_MILLIS = 30_000;

    /** The part of it after which a lease is renewed. */
    private static final int RENEWED_PART = 3;

    /** How often in a row a lease may be taken over unreleased before its bucket is swept with care. */
    static final int UNRELEASED_MAX = 2;

    private final DynamoDbClient dynamoDb;
    private final String table;
    private final RetryingRequest request;
    private final Surroundings surroundings;
    private final ConditionalPut put;

    SweepLeases(DynamoDbClient dynamoDb, String table, Surroundings surroundings) {
        this.dynamoDb = dynamoDb;
        this.table = table;
        this.request = new RetryingRequest(new Backoff(surroundings));
        this.surroundings = surroundings;
        this.put = new ConditionalPut(dynamoDb, table, ShellRules.PROTOCOL);
    }

    /** A bucket of a stage. */
    record Bucket(String stage, long generation, TimeDomain domain, int number) {
        /** Its name in the index. */
        String indexName() {
            return TimerItems.bucketName(stage, generation, number);
        }

        private Map<String, AttributeValue> key() {
            String name = String.format(Locale.ROOT, "%s#%02d", domain.name().toLowerCase(Locale.ROOT), number);
            return Map.of("pk", Items.text(stage + "#" + generation + "#sweep"), "sk", Items.text(name));
        }
    }

    /**
     * A timer that is about to fire alone.
     *
     * @param cell the cell's key in the state table
     * @param attempts how often it was tried before
     */
    record Firing(String cell, Timer timer, int attempts) {}

    /**
     * A lease that is held.
     *
     * @param untilMillis when it ends, by the clock
     * @param unreleased how often in a row it was taken over from holders that did not release it
     * @param firing the timer that its holder is about to fire, or at which the holder before it died; null for none
     */
    record Lease(
            Bucket bucket,
            String version,
            long untilMillis,
            int unreleased,
            @Nullable Firing firing) {
        /** Whether sweepers died here too often, so that each timer is noted before it fires, and fires alone. */
        boolean isCareful() {
            return unreleased >= UNRELEASED_MAX;
        }
    }

    /** Takes the lease on a bucket; null if another one holds it, or was faster. */
    @Nullable
    Lease take(Bucket bucket) {
        var response = request.of(
                "Reading the lease on a bucket in table " + table,
                () -> dynamoDb.getItem(GetItemRequest.builder()
                        .tableName(table)
                        .key(bucket.key())
                        .consistentRead(true)
                        .build()));
        if (!response.hasItem() || response.item().isEmpty()) {
            return write(bucket, null, 0, null);
        }
        Map<String, AttributeValue> item = response.item();
        long untilMillis = Long.parseLong(Items.required(item, "until").n());
        if (untilMillis > nowMillis()) {
            return null;
        }
        int died = untilMillis > 0 ? 1 : 0;
        int unreleased = Integer.parseInt(Items.required(item, "unreleased").n());
        return write(bucket, Items.required(item, "version").s(), unreleased + died, firing(item));
    }

    boolean isToBeRenewed(Lease lease) {
        long leaseMillis = surroundings.sweepLeaseMillis();
        return lease.untilMillis() - nowMillis() <= leaseMillis - leaseMillis / RENEWED_PART;
    }

    /** Holds a lease for longer; null if it is lost. */
    @Nullable
    Lease renewed(Lease lease) {
        return write(lease.bucket(), lease.version(), lease.unreleased(), lease.firing());
    }

    /** Notes in a lease which timer is about to fire; null if it is lost. */
    @Nullable
    Lease noting(Lease lease, Firing firing) {
        return write(lease.bucket(), lease.version(), lease.unreleased(), firing);
    }

    /**
     * Gives a lease back; does nothing if it is lost.
     *
     * @param forget whether the bucket was swept to its end without a timer at which sweepers die, so that nothing of it is to
     *     be remembered
     */
    void release(Lease lease, boolean forget) {
        if (!forget) {
            CommitOutcome outcome = put.put(
                    item(lease.bucket(), surroundings.nonce(), 0, lease.unreleased(), null),
                    lease.version(),
                    List.of(),
                    old -> false);
            if (outcome instanceof CommitOutcome.Refused refused) {
                throw refused.cause();
            }
            return;
        }
        DeleteItemRequest delete = DeleteItemRequest.builder()
                .tableName(table)
                .key(lease.bucket().key())
                .conditionExpression("#v = :v")
                .expressionAttributeNames(Map.of("#v", "version"))
                .expressionAttributeValues(Map.of(":v", Items.text(lease.version())))
                .build();
        request.of("Releasing the lease on a bucket in table " + table, () -> deleteUnlessLost(delete));
    }

    private boolean deleteUnlessLost(DeleteItemRequest delete) {
        try {
            dynamoDb.deleteItem(delete);
            return true;
        } catch (ConditionalCheckFailedException e) {
            return false;
        }
    }

    private @Nullable Lease write(
            Bucket bucket, @Nullable String versionRead, int unreleased, @Nullable Firing firing) {
        String version = surroundings.nonce();
        long untilMillis = nowMillis() + surroundings.sweepLeaseMillis();
        CommitOutcome outcome = CommitOutcomes.untilKnown(
                new Backoff(surroundings),
                () -> put.put(
                        item(bucket, version, untilMillis, unreleased, firing),
                        versionRead,
                        List.of(),
                        old -> old.containsKey("version")
                                && old.get("version").s().equals(version)));
        if (outcome instanceof CommitOutcome.Refused refused) {
            throw refused.cause();
        }
        return outcome instanceof CommitOutcome.Committed || outcome instanceof CommitOutcome.AlreadyCommitted
                ? new Lease(bucket, version, untilMillis, unreleased, firing)
                : null;
    }

    private static Map<String, AttributeValue> item(
            Bucket bucket, String version, long untilMillis, int unreleased, @Nullable Firing firing) {
        Map<String, AttributeValue> item = new HashMap<>(bucket.key());
        item.put("version", Items.text(version));
        item.put("until", Items.number(untilMillis));
        item.put("unreleased", Items.number(unreleased));
        if (firing != null) {
            item.put("firing_cell", Items.text(firing.cell()));
            item.put("firing_timer", Items.text(TimerItems.text(firing.timer())));
            item.put("firing_attempts", Items.number(firing.attempts()));
        }
        return item;
    }

    private static @Nullable Firing firing(Map<String, AttributeValue> item) {
        if (!item.containsKey("firing_cell")) {
            return null;
        }
        try {
            return new Firing(
                    Items.required(item, "firing_cell").s(),
                    TimerItems.parse(Items.required(item, "firing_timer").s()),
                    Integer.parseInt(Items.required(item, "firing_attempts").n()));
        } catch (IOException e) {
            throw new MillraceException("A lease cannot be read: " + e.getMessage(), e);
        }
    }

    private long nowMillis() {
        return surroundings.clock().millis();
    }
}
