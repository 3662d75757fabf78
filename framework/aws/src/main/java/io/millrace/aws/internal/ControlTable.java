package io.millrace.aws.internal;

import java.util.ArrayList;
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
    private static final String CONTROL = "control";
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
        AttributeValue stopReason = item.get("stop_reason");
        return new PipelineControl(
                Items.required(item, "version").s(),
                Long.parseLong(Items.required(item, "generation").n()),
                Items.required(item, "sources").l().stream()
                        .map(AttributeValue::s)
                        .toList(),
                stopReason == null ? null : stopReason.s());
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
        List<String> sources = new ArrayList<>(control == null ? List.of() : control.sources());
        sources.add(stream);
        return new PipelineControl(
                surroundings.nonce(),
                control == null ? FIRST_GENERATION : control.generation(),
                sources,
                control == null ? null : control.stopReason());
    }

    private void write(String pipeline, PipelineControl control, @Nullable String versionRead) {
        Map<String, AttributeValue> item = new HashMap<>(key(pipeline));
        item.put("version", Items.text(control.version()));
        item.put("generation", Items.number(control.generation()));
        item.put(
                "sources",
                AttributeValue.fromL(control.sources().stream().map(Items::text).toList()));
        if (control.stopReason() != null) {
            item.put("stop_reason", Items.text(control.stopReason()));
        }
        CommitOutcome outcome = put.put(item, versionRead, List.of(), old -> false);
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
