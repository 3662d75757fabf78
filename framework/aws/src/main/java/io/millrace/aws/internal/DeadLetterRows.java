package io.millrace.aws.internal;

import io.millrace.MillraceException;
import io.millrace.internal.engine.CellItems;
import java.io.ByteArrayOutputStream;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.Update;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;

/**
 * The dead letters as an operator works with them: to list, to read and to change, each change under a condition. That
 * invocations put them is {@link DeadLetterTable}'s. Thread-safe.
 */
public final class DeadLetterRows {
    static final String OPEN = "open";
    static final String DONE = "done";
    static final String DROPPED = "dropped";

    /** The attribute with the nonce of the last operator's write. */
    static final String WRITER = "writer";

    static final String TIME_TO_LIVE = CellItems.TIME_TO_LIVE;

    /** The condition that a dead letter is open. */
    static final String IS_OPEN = "#status = :open";

    private final DynamoDbClient dynamoDb;
    private final String table;
    private final Surroundings surroundings;
    private final RetryingRequest request;
    private final ShellRules rules;

    public DeadLetterRows(DynamoDbClient dynamoDb, String table, Surroundings surroundings, ShellRules rules) {
        this.dynamoDb = dynamoDb;
        this.table = table;
        this.surroundings = surroundings;
        this.request = new RetryingRequest(new Backoff(surroundings));
        this.rules = rules;
    }

    /**
     * The dead letters of a generation, read page by page as they are asked for, without their payloads. In the order of
     * the positions inside a lane.
     *
     * @param wanted text attributes that must have these values
     */
    public Iterator<DeadLetterRow> list(long generation, Map<String, String> wanted) {
        return new MappedIterator<>(
                new ScannedItems(
                        dynamoDb,
                        request,
                        "Reading the dead letters in table " + table,
                        DeadLetterScan.of(table, generation, wanted)),
                DeadLetterRow::new);
    }

    /** Reads a dead letter, consistently. */
    public Optional<DeadLetterRow> read(DeadLetterId id, long generation) {
        return get(id.itemKey(generation)).map(DeadLetterRow::new);
    }

    /**
     * The payload of a dead letter that was {@linkplain #read read}, out of its item or of the parts beside it.
     *
     * @throws MillraceException if a part is missing
     */
    public byte[] payload(DeadLetterRow row) {
        AttributeValue inItem = row.payload();
        if (inItem != null) {
            return inItem.b().asByteArray();
        }
        ByteArrayOutputStream payload = new ByteArrayOutputStream();
        for (int i = 0; i < row.payloadParts(); i++) {
            int index = i;
            byte[] part = get(row.id().payloadKey(row.generation(), i))
                    .map(item -> Items.required(item, "payload").b().asByteArray())
                    .orElseThrow(() -> new MillraceException("Part " + index + " of " + row.payloadParts()
                            + " of the payload of dead letter " + row.id() + " is missing in table " + table
                            + ". Was it deleted by hand?"));
            payload.writeBytes(part);
        }
        return payload.toByteArray();
    }

    /** The keys whose parts of the same record are dead letters of their own. */
    Set<String> keysOfRecord(DeadLetterRow row) {
        Map<String, AttributeValue> key = row.id().itemKey(row.generation());
        Map<String, AttributeValue> values = Map.of(
                ":pk", Items.required(key, "pk"),
                ":sk", Items.text(DeadLetterTable.sortKey(row.id().position())));
        Set<String> keys = new HashSet<>();
        Map<String, AttributeValue> from = Map.of();
        do {
            QueryRequest.Builder query = QueryRequest.builder()
                    .tableName(table)
                    .consistentRead(true)
                    .keyConditionExpression("pk = :pk AND begins_with(sk, :sk)")
                    .projectionExpression("#key")
                    .expressionAttributeNames(Map.of("#key", "key"))
                    .expressionAttributeValues(values);
            if (!from.isEmpty()) {
                query.exclusiveStartKey(from);
            }
            var page = request.of(
                    "Reading the dead letters of one record in table " + table, () -> dynamoDb.query(query.build()));
            page.items().stream()
                    .filter(item -> item.containsKey("key"))
                    .forEach(item -> keys.add(Items.required(item, "key").s()));
            from = page.lastEvaluatedKey();
        } while (!from.isEmpty());
        return keys;
    }

    /** The change of a dead letter from open to closed. */
    Update closing(DeadLetterRow row, String status, String nonce, Instant expiry) {
        return Update.builder()
                .tableName(table)
                .key(row.id().itemKey(row.generation()))
                .updateExpression("SET #status = :status, #closed = :closed, #writer = :writer, #ttl = :ttl")
                .conditionExpression(rules.isOpen())
                .expressionAttributeNames(
                        Map.of("#status", "status", "#closed", "closed", "#writer", WRITER, "#ttl", TIME_TO_LIVE))
                .expressionAttributeValues(Map.of(
                        ":open", Items.text(OPEN),
                        ":status", Items.text(status),
                        ":closed", Items.text(surroundings.clock().instant().toString()),
                        ":writer", Items.text(nonce),
                        ":ttl", Items.number(expiry.getEpochSecond())))
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                .build();
    }

    /** Makes a change that no cell belongs to. */
    CommitOutcome change(Update update, String nonce) {
        UpdateItemRequest single = UpdateItemRequest.builder()
                .tableName(update.tableName())
                .key(update.key())
                .updateExpression(update.updateExpression())
                .conditionExpression(update.conditionExpression())
                .expressionAttributeNames(update.expressionAttributeNames())
                .expressionAttributeValues(update.expressionAttributeValues())
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                .build();
        try {
            dynamoDb.updateItem(single);
            return new CommitOutcome.Committed();
        } catch (RuntimeException e) {
            return CommitOutcomes.of(e, old -> DeadLetterRow.isWrittenBy(old, nonce));
        }
    }

    /** The note of one more attempt that failed; the dead letter stays open. */
    Update failure(DeadLetterRow row, String error, String nonce) {
        Map<String, AttributeValue> values = new HashMap<>();
        values.put(":open", Items.text(OPEN));
        values.put(":before", Items.number(row.attempts()));
        values.put(":attempts", Items.number(row.attempts() + 1L));
        values.put(":error", Items.text(error));
        values.put(":tried", Items.text(surroundings.clock().instant().toString()));
        values.put(":writer", Items.text(nonce));
        return Update.builder()
                .tableName(table)
                .key(row.id().itemKey(row.generation()))
                .updateExpression("SET #attempts = :attempts, #error = :error, #tried = :tried, #writer = :writer")
                .conditionExpression(IS_OPEN + " AND #attempts = :before")
                .expressionAttributeNames(Map.of(
                        "#status", "status",
                        "#attempts", "attempts",
                        "#error", "error",
                        "#tried", "tried",
                        "#writer", WRITER))
                .expressionAttributeValues(values)
                .build();
    }

    /**
     * Lets the parts of a closed dead letter's payload expire with it: behind its closing, since an open one needs them, and
     * again whenever a closed one is met, since the process can die between.
     */
    void expireParts(DeadLetterRow row, @Nullable Instant expiry) {
        if (expiry == null) {
            return;
        }
        for (int i = 0; i < row.payloadParts(); i++) {
            UpdateItemRequest update = UpdateItemRequest.builder()
                    .tableName(table)
                    .key(row.id().payloadKey(row.generation(), i))
                    .updateExpression("SET #ttl = :ttl")
                    .conditionExpression("attribute_exists(pk)")
                    .expressionAttributeNames(Map.of("#ttl", TIME_TO_LIVE))
                    .expressionAttributeValues(Map.of(":ttl", Items.number(expiry.getEpochSecond())))
                    .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)
                    .build();
            request.of("Letting a part of dead letter " + row.id() + " expire", () -> updateUnlessGone(update));
        }
    }

    private boolean updateUnlessGone(UpdateItemRequest update) {
        try {
            dynamoDb.updateItem(update);
            return true;
        } catch (ConditionalCheckFailedException e) {
            return false;
        }
    }

    private Optional<Map<String, AttributeValue>> get(Map<String, AttributeValue> key) {
        var response = request.of(
                "Reading a dead letter in table " + table,
                () -> dynamoDb.getItem(GetItemRequest.builder()
                        .tableName(table)
                        .key(key)
                        .consistentRead(true)
                        .build()));
        return response.hasItem() && !response.item().isEmpty() ? Optional.of(response.item()) : Optional.empty();
    }
}
