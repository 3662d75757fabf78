package io.millrace.aws;

import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.aws.internal.DueIndex;
import io.millrace.aws.internal.TableNames;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.item.Row;
import io.millrace.internal.plan.OutputPlan;
import io.millrace.internal.plan.PipelinePlan;
import io.millrace.internal.plan.StagePlan;
import io.millrace.sink.DynamoDbSink;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ResourceInUseException;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/**
 * Creates the tables that a pipeline needs, where they are not there: for tests and local runs. On AWS a template does
 * it. Running it again, or twice at the same time, changes nothing.
 */
public final class Provisioning {
    private final DynamoDbClient dynamoDb;

    public Provisioning(DynamoDbClient dynamoDb) {
        this.dynamoDb = dynamoDb;
    }

    /** Creates the pipeline's own tables and those of its rows, and waits until they can be used. */
    public void createTables(PipelineDefinition definition) {
        PipelinePlan plan = PipelineBuilder.plan(definition);
        TableNames names = TableNames.ofPipeline(plan.name());
        Row.Key partitionKey = new Row.Key(CellItems.PARTITION_KEY, Row.KeyType.STRING);
        Row.Key sortKey = new Row.Key("sk", Row.KeyType.STRING);
        create(names.control(), partitionKey, sortKey);
        create(names.state(), partitionKey, null, DueIndex.indexes());
        create(names.deadLetters(), partitionKey, sortKey);
        enableTimeToLive(names.state(), CellItems.TIME_TO_LIVE);
        enableTimeToLive(names.deadLetters(), CellItems.TIME_TO_LIVE);
        for (DynamoDbSink<?> sink : sinksOf(plan)) {
            create(sink.table(), sink.partitionKey(), sink.sortKey());
            if (sink.deletes()) {
                enableTimeToLive(sink.table(), Row.TIME_TO_LIVE);
            }
        }
    }

    /** The streams that a pipeline reads. */
    public static Set<String> streamsOf(PipelineDefinition definition) {
        Set<String> streams = new LinkedHashSet<>();
        PipelineBuilder.plan(definition).stages().forEach(stage -> streams.add(stage.source().stream()));
        return streams;
    }

    /** The uids of a pipeline's stages, each of which is a function. */
    public static List<String> stagesOf(PipelineDefinition definition) {
        return PipelineBuilder.plan(definition).stages().stream()
                .map(StagePlan::uid)
                .toList();
    }

    private static List<DynamoDbSink<?>> sinksOf(PipelinePlan plan) {
        List<DynamoDbSink<?>> sinks = new ArrayList<>();
        for (StagePlan stage : plan.stages()) {
            for (OutputPlan output : stage.outputs()) {
                sinks.add(output.sink());
            }
        }
        return sinks;
    }

    private void create(String table, Row.Key partitionKey, Row.@Nullable Key sortKey) {
        create(table, partitionKey, sortKey, List.of());
    }

    private void create(
            String table, Row.Key partitionKey, Row.@Nullable Key sortKey, List<DueIndex.Definition> indexes) {
        List<AttributeDefinition> attributes = new ArrayList<>(List.of(attribute(partitionKey)));
        List<KeySchemaElement> keys = new ArrayList<>(List.of(key(partitionKey, KeyType.HASH)));
        if (sortKey != null) {
            attributes.add(attribute(sortKey));
            keys.add(key(sortKey, KeyType.RANGE));
        }
        CreateTableRequest.Builder creation =
                CreateTableRequest.builder().tableName(table).keySchema(keys).billingMode(BillingMode.PAY_PER_REQUEST);
        if (!indexes.isEmpty()) {
            indexes.forEach(index -> {
                attributes.add(attribute(index.partitionKey()));
                attributes.add(attribute(index.sortKey()));
            });
            creation.globalSecondaryIndexes(
                    indexes.stream().map(Provisioning::keysOnly).toList());
        }
        try {
            dynamoDb.createTable(creation.attributeDefinitions(attributes).build());
        } catch (ResourceInUseException e) {
            // It is there already, or another one creates it: the waiter below is right for both.
        }
        dynamoDb.waiter().waitUntilTableExists(request -> request.tableName(table));
    }

    private void enableTimeToLive(String table, String attribute) {
        boolean enabled = attribute.equals(dynamoDb.describeTimeToLive(request -> request.tableName(table))
                .timeToLiveDescription()
                .attributeName());
        if (!enabled) {
            dynamoDb.updateTimeToLive(request -> request.tableName(table)
                    .timeToLiveSpecification(
                            spec -> spec.attributeName(attribute).enabled(true)));
        }
    }

    private static GlobalSecondaryIndex keysOnly(DueIndex.Definition index) {
        return GlobalSecondaryIndex.builder()
                .indexName(index.name())
                .keySchema(key(index.partitionKey(), KeyType.HASH), key(index.sortKey(), KeyType.RANGE))
                .projection(projection -> projection.projectionType(ProjectionType.KEYS_ONLY))
                .build();
    }

    private static AttributeDefinition attribute(Row.Key key) {
        return AttributeDefinition.builder()
                .attributeName(key.attribute())
                .attributeType(key.type() == Row.KeyType.STRING ? ScalarAttributeType.S : ScalarAttributeType.N)
                .build();
    }

    private static KeySchemaElement key(Row.Key key, KeyType type) {
        return KeySchemaElement.builder()
                .attributeName(key.attribute())
                .keyType(type)
                .build();
    }
}
