package io.millrace.aws.internal.checkpoint;

import io.millrace.MillraceException;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.PipelineControl;
import io.millrace.aws.internal.RetryingRequest;
import io.millrace.aws.internal.TableNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;

/** Deletes what a generation that is not in use has left in a pipeline's tables. It can be run again. For one use. */
public final class GenerationDrop {
    private final DynamoDbClient dynamoDb;
    private final TableNames tables;
    private final RetryingRequest request;
    private final IoExecutor io;

    public GenerationDrop(DynamoDbClient dynamoDb, TableNames tables, RetryingRequest request, IoExecutor io) {
        this.dynamoDb = dynamoDb;
        this.tables = tables;
        this.request = request;
        this.io = io;
    }

    /**
     * Deletes the items of a generation.
     *
     * @return how many they were
     * @throws MillraceException if the generation is in use, or there never was one of this number
     */
    public long run(PipelineControl control, long generation) {
        PipelineControl.Restoring restoring = control.restoring();
        if (generation == control.generation()) {
            throw new MillraceException("Generation " + generation + " is the current one, and is not dropped.");
        }
        if (restoring != null && generation == restoring.generation()) {
            throw new MillraceException("Generation " + generation + " is being restored from checkpoint "
                    + restoring.checkpoint() + ". Run that restore to its end first.");
        }
        if (generation < 1 || generation > control.highestGiven()) {
            throw new MillraceException("There is no generation " + generation + "; their numbers are 1 to "
                    + control.highestGiven() + ".");
        }
        String number = Long.toString(generation);
        return drop(tables.state(), List.of("pk"), pk -> pk.endsWith("#" + number))
                + drop(tables.deadLetters(), List.of("pk", "sk"), pk -> isSecond(pk, number))
                + drop(tables.control(), List.of("pk", "sk"), pk -> isSecond(pk, number));
    }

    /** The generation is behind the stage, in the keys of all tables but that of the cells. */
    private static boolean isSecond(String partitionKey, String number) {
        String[] pieces = partitionKey.split("#", 3);
        return pieces.length > 1 && !pieces[0].equals("pipeline") && pieces[1].equals(number);
    }

    private long drop(String table, List<String> keys, Predicate<String> isOfGeneration) {
        long dropped = 0;
        Map<String, AttributeValue> from = Map.of();
        do {
            ScanRequest.Builder scan = ScanRequest.builder()
                    .tableName(table)
                    .consistentRead(true)
                    .projectionExpression(String.join(", ", keys));
            if (!from.isEmpty()) {
                scan.exclusiveStartKey(from);
            }
            ScanResponse page = request.of("Scanning table " + table, () -> dynamoDb.scan(scan.build()));
            List<Callable<Boolean>> deletions = new ArrayList<>();
            for (Map<String, AttributeValue> key : page.items()) {
                if (isOfGeneration.test(Objects.requireNonNull(key.get("pk")).s())) {
                    deletions.add(() -> delete(table, key));
                }
            }
            if (!deletions.isEmpty()) {
                dropped += io.runAll(deletions).size();
            }
            from = page.lastEvaluatedKey();
        } while (!from.isEmpty());
        return dropped;
    }

    private boolean delete(String table, Map<String, AttributeValue> key) {
        return request.of("Deleting an item of an old generation in table " + table, () -> {
            dynamoDb.deleteItem(delete -> delete.tableName(table).key(key));
            return true;
        });
    }
}
