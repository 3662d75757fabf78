package io.millrace.local;

import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** A table whose key is the text {@code id}, and whose items can expire at {@code end}. */
final class SimpleTable {
    private SimpleTable() {}

    static void create(DynamoDbClient dynamo, String name) {
        AttributeDefinition id = AttributeDefinition.builder()
                .attributeName("id")
                .attributeType(ScalarAttributeType.S)
                .build();
        KeySchemaElement key = KeySchemaElement.builder()
                .attributeName("id")
                .keyType(KeyType.HASH)
                .build();
        dynamo.createTable(request -> request.tableName(name)
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .attributeDefinitions(id)
                .keySchema(key));
        dynamo.updateTimeToLive(request -> request.tableName(name)
                .timeToLiveSpecification(
                        specification -> specification.attributeName("end").enabled(true)));
    }
}
