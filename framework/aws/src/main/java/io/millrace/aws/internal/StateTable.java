package io.millrace.aws.internal;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.MillraceException;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.CellKey;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;

/**
 * The items of a pipeline's cells, and what the control table says about them, for who only looks. Thread-safe; nothing is
 * written, ever.
 */
public final class StateTable {
    /** The partition keys of a stage's items in the control table. */
    private static final Pattern STAGE_ITEMS = Pattern.compile("([^#]+)#([0-9]+)(?:#.*)?");

    private static final String NAME = "#pk";

    private final DynamoDbClient dynamoDb;
    private final String pipeline;
    private final TableNames tables;
    private final ControlTable control;
    private final RetryingRequest request;

    public StateTable(DynamoDbClient dynamoDb, String pipeline, TableNames tables, Surroundings surroundings) {
        this.dynamoDb = dynamoDb;
        this.pipeline = pipeline;
        this.tables = tables;
        this.control = new ControlTable(dynamoDb, tables.control(), surroundings);
        this.request = new RetryingRequest(new Backoff(surroundings));
    }

    /** The table's name. */
    public String name() {
        return tables.state();
    }

    /**
     * The pipeline's current generation.
     *
     * @throws MillraceException if there is no such pipeline here
     */
    public long currentGeneration() {
        PipelineControl found;
        try {
            found = control.read(pipeline);
        } catch (MillraceException e) {
            throw e.getCause() instanceof ResourceNotFoundException missing
                    ? unknown("there is no table " + tables.control(), missing)
                    : e;
        }
        if (found == null) {
            throw unknown("the table " + tables.control() + " has no item of it", null);
        }
        return found.generation();
    }

    private MillraceException unknown(String reason, @Nullable Throwable cause) {
        return new MillraceException(
                "The pipeline '" + pipeline + "' has never run here: " + reason
                        + ". Is its name another one, or is it another region, account or endpoint?",
                cause);
    }

    /** The stages that have begun to process in a generation, in their order as texts. */
    public List<String> stages(long generation) {
        ScanRequest scan = ScanRequest.builder()
                .tableName(tables.control())
                .consistentRead(true)
                .projectionExpression(NAME)
                .expressionAttributeNames(Map.of(NAME, "pk", "#sk", "sk"))
                .filterExpression("#sk <> :control")
                .expressionAttributeValues(Map.of(":control", Items.text(ControlTable.CONTROL)))
                .build();
        TreeSet<String> stages = new TreeSet<>();
        scan("Reading the stages in table " + tables.control(), scan).forEachRemaining(item -> {
            Matcher parts = STAGE_ITEMS.matcher(item.path("pk").asText());
            if (parts.matches() && parts.group(2).equals(Long.toString(generation))) {
                stages.add(parts.group(1));
            }
        });
        return List.copyOf(stages);
    }

    /**
     * The items of all generations, read consistently and page by page as they are asked for.
     *
     * @param stage the stage whose items are wanted; null for those of all
     */
    public Iterator<ObjectNode> items(@Nullable String stage) {
        ScanRequest.Builder scan =
                ScanRequest.builder().tableName(tables.state()).consistentRead(true);
        if (stage != null) {
            scan.filterExpression("begins_with(" + NAME + ", :stage)")
                    .expressionAttributeNames(Map.of(NAME, CellItems.PARTITION_KEY))
                    .expressionAttributeValues(Map.of(":stage", Items.text(stage + "#")));
        }
        return scan("Reading the cells in table " + tables.state(), scan.build());
    }

    private Iterator<ObjectNode> scan(String what, ScanRequest scan) {
        return new MappedIterator<>(new ScannedItems(dynamoDb, request, what, scan), Items::fromAttributes);
    }

    /** The item under a cell's partition key, read consistently; null if there is none. */
    public @Nullable ObjectNode item(CellKey key) {
        String partitionKey = CellItems.partitionKey(key);
        Map<String, AttributeValue> found = request.of(
                        "Reading the cell " + partitionKey + " in table " + tables.state(),
                        () -> dynamoDb.getItem(GetItemRequest.builder()
                                .tableName(tables.state())
                                .key(Map.of(CellItems.PARTITION_KEY, Items.text(partitionKey)))
                                .consistentRead(true)
                                .build()))
                .item();
        return found.isEmpty() ? null : Items.fromAttributes(found);
    }
}
