package io.millrace.aws.internal;

import io.millrace.MillraceException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;

/** The control items of pipelines. Thread-safe. */
public final class ControlTable {
    /** The sort key of a pipeline's control item. */
    static final String CONTROL = "control";

    private static final long FIRST_GENERATION = 1;

    private final DynamoDbClient dynamoDb;
    private final String table;
    private final Surroundings surroundings;
    private final Backoff backoff;
    private final RetryingRequest read;
    private final ConditionalPut put;

    public ControlTable(DynamoDbClient dynamoDb, String table, Surroundings surroundings) {
        this.dynamoDb = dynamoDb;
        this.table = table;
        this.surroundings = surroundings;
        this.backoff = new Backoff(surroundings);
        this.read = new RetryingRequest(backoff);
        this.put = new ConditionalPut(dynamoDb, table, ShellRules.PROTOCOL);
    }

    /** Reads a pipeline's control item, and makes the first one, or appends the stream, if it is not there. */
    public PipelineControl readWithSource(String pipeline, String stream) {
        for (int attempt = 1; attempt <= Backoff.ATTEMPTS_MAX; attempt++) {
            PipelineControl control = read(pipeline);
            if (control != null && control.sources().contains(stream)) {
                return control;
            }
            write(pipeline, withSource(control, stream), control == null ? null : control.version());
            backoff.await(attempt);
        }
        throw ShellErrors.tooManyRetries("Writing the control item of '" + pipeline + "'", Backoff.ATTEMPTS_MAX, null);
    }

    /** Reads a pipeline's control item; null if it has none. */
    public @Nullable PipelineControl read(String pipeline) {
        Map<String, AttributeValue> item = get(key(pipeline));
        if (item == null) {
            return null;
        }
        long generation = number(item, "generation");
        AttributeValue stopReason = item.get("stop_reason");
        AttributeValue lineage = item.get("lineage");
        AttributeValue highest = item.get("highest_generation");
        AttributeValue restoring = item.get("restoring");
        return new PipelineControl(
                Items.required(item, "version").s(),
                generation,
                Items.required(item, "sources").l().stream()
                        .map(AttributeValue::s)
                        .toList(),
                stopReason == null ? null : stopReason.s(),
                lineage == null
                        ? List.of()
                        : lineage.l().stream()
                                .map(AttributeValue::m)
                                .map(ControlTable::branch)
                                .toList(),
                highest == null ? generation : Long.parseLong(highest.n()),
                restoring == null
                        ? null
                        : new PipelineControl.Restoring(
                                number(restoring.m(), "generation"),
                                Items.required(restoring.m(), "checkpoint").s()));
    }

    private static PipelineControl.Branch branch(Map<String, AttributeValue> entry) {
        return new PipelineControl.Branch(
                number(entry, "generation"),
                number(entry, "parent"),
                Items.required(entry, "checkpoint").s(),
                Items.required(entry, "cut").s(),
                Items.required(entry, "begun").s());
    }

    private static AttributeValue attribute(PipelineControl.Branch branch) {
        return AttributeValue.fromM(Map.of(
                "generation", Items.number(branch.generation()),
                "parent", Items.number(branch.parent()),
                "checkpoint", Items.text(branch.checkpoint()),
                "cut", Items.text(branch.cut()),
                "begun", Items.text(branch.begun())));
    }

    private static long number(Map<String, AttributeValue> item, String name) {
        return Long.parseLong(Items.required(item, name).n());
    }

    /**
     * Reads the control item of a pipeline that has run.
     *
     * @throws MillraceException if it has none
     */
    public PipelineControl require(String pipeline) {
        PipelineControl found = read(pipeline);
        if (found == null) {
            throw new MillraceException("The pipeline '" + pipeline + "' has never run here: the table " + table
                    + " has no control item of it. Run it first, or check region and endpoint.");
        }
        return found;
    }

    private @Nullable Map<String, AttributeValue> get(Map<String, AttributeValue> key) {
        var response = read.of(
                "Reading the control item in table " + table,
                () -> dynamoDb.getItem(GetItemRequest.builder()
                        .tableName(table)
                        .key(key)
                        .consistentRead(true)
                        .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                        .build()));
        return response.hasItem() && !response.item().isEmpty() ? response.item() : null;
    }

    private PipelineControl withSource(@Nullable PipelineControl control, String stream) {
        String version = surroundings.nonce();
        return control == null
                ? new PipelineControl(version, FIRST_GENERATION, List.of(stream), null)
                : control.withSource(version, stream);
    }

    /**
     * Writes a pipeline's control item if it still is as it was read.
     *
     * @return whether it is written; false if another writer came first
     */
    public boolean change(String pipeline, PipelineControl changed, PipelineControl read) {
        CommitOutcome outcome = CommitOutcomes.untilKnown(backoff, () -> put(pipeline, changed, read.version()));
        throwIfRefused(outcome);
        return outcome instanceof CommitOutcome.Committed || outcome instanceof CommitOutcome.AlreadyCommitted;
    }

    private void write(String pipeline, PipelineControl control, @Nullable String versionRead) {
        throwIfRefused(put(pipeline, control, versionRead));
    }

    private CommitOutcome put(String pipeline, PipelineControl control, @Nullable String versionRead) {
        Map<String, AttributeValue> item = new HashMap<>(key(pipeline));
        item.put("version", Items.text(control.version()));
        item.put("generation", Items.number(control.generation()));
        item.put(
                "sources",
                AttributeValue.fromL(control.sources().stream().map(Items::text).toList()));
        if (control.stopReason() != null) {
            item.put("stop_reason", Items.text(control.stopReason()));
        }
        if (!control.lineage().isEmpty()) {
            item.put(
                    "lineage",
                    AttributeValue.fromL(control.lineage().stream()
                            .map(ControlTable::attribute)
                            .toList()));
        }
        if (control.highestGiven() != control.generation()) {
            item.put("highest_generation", Items.number(control.highestGiven()));
        }
        PipelineControl.Restoring restoring = control.restoring();
        if (restoring != null) {
            item.put(
                    "restoring",
                    AttributeValue.fromM(Map.of(
                            "generation", Items.number(restoring.generation()),
                            "checkpoint", Items.text(restoring.checkpoint()))));
        }
        return put.put(
                item,
                versionRead,
                List.of(),
                old -> old.containsKey("version") && old.get("version").s().equals(control.version()));
    }

    private static void throwIfRefused(CommitOutcome outcome) {
        if (outcome instanceof CommitOutcome.Refused refused) {
            throw refused.cause();
        }
        if (outcome instanceof CommitOutcome.Permanent permanent) {
            throw ShellErrors.refused("the control item", permanent.cause());
        }
    }

    private static Map<String, AttributeValue> key(String pipeline) {
        return Map.of("pk", Items.text("pipeline#" + pipeline), "sk", Items.text(CONTROL));
    }
}
