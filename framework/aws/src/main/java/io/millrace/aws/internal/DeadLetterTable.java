package io.millrace.aws.internal;

import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.CellKey;
import io.millrace.internal.engine.DeadLetter;
import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.Timer;
import io.millrace.internal.engine.TimerItems;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.Put;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnConsumedCapacity;

/**
 * The dead letters of a pipeline: one item each, under stage, generation and lane, sorted by position. A payload too
 * large for an item lies in parts beside it, which are put before the item that counts. Thread-safe.
 */
final class DeadLetterTable {
    /** The largest payload that lies in the dead letter's own item; DynamoDB allows 400 KB an item. */
    static final int PAYLOAD_BYTES_MAX = 300 * 1024;

    private static final int KEY_HASH_LENGTH = 16;

    private final DynamoDbClient dynamoDb;
    private final String table;
    private final Surroundings surroundings;
    private final RetryingRequest request;
    private final ShellRules rules;

    DeadLetterTable(DynamoDbClient dynamoDb, String table, Surroundings surroundings, ShellRules rules) {
        this.dynamoDb = dynamoDb;
        this.table = table;
        this.surroundings = surroundings;
        this.request = new RetryingRequest(new Backoff(surroundings));
        this.rules = rules;
    }

    /** Puts a dead letter that has no cell. Putting it again changes nothing. */
    void put(DeadLetter letter, String stage, long generation) {
        putParts(letter, stage, generation);
        putUntilDone(item(letter, stage, generation));
    }

    /** Puts the dead letter that names a range of missing records which an operator decided to go on over. */
    void putGap(Lane lane, @Nullable Position cursor, Position first, String stage, long generation) {
        putGap(lane, cursor, first, first.toString(), stage, generation);
    }

    /** Puts the dead letter that names a lane's last records, which an operator decided to go on without. */
    void putLostEnd(Lane lane, @Nullable Position cursor, Position first, String stage, long generation) {
        putGap(lane, cursor, first, GapDecision.END, stage, generation);
    }

    private void putGap(
            Lane lane, @Nullable Position cursor, Position at, String before, String stage, long generation) {
        Map<String, AttributeValue> item = new HashMap<>(key(stage, generation, lane, at, DeadLetterId.GAP));
        item.put("kind", Items.text(DeadLetterRow.GAP));
        item.put("status", Items.text(DeadLetterRows.OPEN));
        item.put("stage", Items.text(stage));
        item.put("generation", Items.number(generation));
        item.put("lane", Items.text(lane.toString()));
        item.put("after", Items.text(cursor == null ? "beginning" : cursor.toString()));
        item.put("before", Items.text(before));
        item.put("error", Items.text("Records between these two positions were never delivered."));
        item.put("time", Items.text(surroundings.clock().instant().toString()));
        putUntilDone(item);
    }

    /** The put of a dead letter in its cell's transaction. */
    Put transactionPut(DeadLetter letter, CellKey cell) {
        return transactionPut(letter, cell.stage(), cell.generation());
    }

    /** The put of a dead letter in the transaction that moves its lane's cursor. */
    Put transactionPut(DeadLetter letter, String stage, long generation) {
        return Put.builder()
                .tableName(table)
                .item(item(letter, stage, generation))
                .build();
    }

    /** Puts the parts of payloads that are too large, before the transaction of their dead letters. */
    void putLargePayloads(List<DeadLetter> letters, CellKey cell) {
        putLargePayloads(letters, cell.stage(), cell.generation());
    }

    void putLargePayloads(List<DeadLetter> letters, String stage, long generation) {
        letters.forEach(letter -> putParts(letter, stage, generation));
    }

    private void putParts(DeadLetter letter, String stage, long generation) {
        List<byte[]> parts = parts(letter);
        for (int i = 0; i < parts.size(); i++) {
            String suffix = suffix(letter) + partSuffix(i);
            Map<String, AttributeValue> item = new HashMap<>(
                    key(stage, generation, letter.lane(), letter.input().position(), suffix));
            item.put("payload", binary(parts.get(i)));
            item.put("status", Items.text("part"));
            putUntilDone(item);
        }
    }

    private static List<byte[]> parts(DeadLetter letter) {
        byte[] payload = letter.input().payload();
        List<byte[]> parts = new ArrayList<>();
        if (payload.length > PAYLOAD_BYTES_MAX) {
            for (int from = 0; from < payload.length; from += PAYLOAD_BYTES_MAX) {
                parts.add(Arrays.copyOfRange(payload, from, Math.min(payload.length, from + PAYLOAD_BYTES_MAX)));
            }
        }
        return parts;
    }

    private Map<String, AttributeValue> item(DeadLetter letter, String stage, long generation) {
        Position position = letter.input().position();
        Map<String, AttributeValue> item =
                new HashMap<>(key(stage, generation, letter.lane(), position, suffix(letter)));
        item.put("kind", Items.text(letter.kind().name()));
        item.put("status", Items.text(DeadLetterRows.OPEN));
        item.put("stage", Items.text(stage));
        item.put("generation", Items.number(generation));
        item.put("lane", Items.text(letter.lane().toString()));
        item.put("sequence_number", Items.text(position.sequenceNumber().digits()));
        item.put("sub_sequence", Items.number(position.subSequence()));
        item.put("error", Items.text(letter.error()));
        item.put("attempts", Items.number(letter.attempts()));
        item.put("arrival", Items.text(letter.input().arrival().toString()));
        item.put("time", Items.text(surroundings.clock().instant().toString()));
        if (letter.key() != null) {
            item.put("key", Items.text(letter.key()));
        }
        if (letter.input().partitionKey() != null) {
            item.put("partition_key", Items.text(letter.input().partitionKey()));
        }
        if (letter.input().packing() instanceof InputRecord.BrokenAggregate broken) {
            item.put("aggregate_defect", Items.text(broken.defect()));
        }
        int parts = parts(letter).size();
        if (parts == 0) {
            item.put("payload", binary(letter.input().payload()));
        } else {
            item.put("payload_parts", Items.number(parts));
        }
        return item;
    }

    private static Map<String, AttributeValue> key(
            String stage, long generation, Lane lane, Position position, String suffix) {
        return key(stage, generation, lane.toString(), sortKey(position) + suffix);
    }

    static Map<String, AttributeValue> key(String stage, long generation, String lane, String sortKey) {
        return Map.of("pk", Items.text(stage + "#" + generation + "#" + lane), "sk", Items.text(sortKey));
    }

    /** What the sort keys of a position begin with. */
    static String sortKey(Position position) {
        String digits = position.sequenceNumber().digits();
        return String.format(Locale.ROOT, "%03d.%s.%010d#", digits.length(), digits, position.subSequence());
    }

    /** What is appended to a dead letter's sort key for a part of its payload. */
    static String partSuffix(int part) {
        return String.format(Locale.ROOT, "#part%04d", part);
    }

    /** One record can be a dead letter under several keys, and a key can have several timers of one time. */
    private static String suffix(DeadLetter letter) {
        if (letter.key() == null) {
            return DeadLetterId.NO_KEY;
        }
        Timer timer = letter.timer();
        String part = timer == null ? letter.key() : TimerItems.text(timer) + "#" + letter.key();
        return CellItems.sha256(part).substring(0, KEY_HASH_LENGTH);
    }

    private static AttributeValue binary(byte[] bytes) {
        return AttributeValue.fromB(SdkBytes.fromByteArray(bytes));
    }

    private void putUntilDone(Map<String, AttributeValue> item) {
        PutItemRequest.Builder put = PutItemRequest.builder()
                .tableName(table)
                .item(item)
                .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL);
        rules.putOnce(put);
        request.of("Putting a dead letter into table " + table, () -> putUnlessThere(put.build()));
    }

    private boolean putUnlessThere(PutItemRequest put) {
        try {
            dynamoDb.putItem(put);
            return true;
        } catch (ConditionalCheckFailedException e) {
            return false;
        }
    }
}
