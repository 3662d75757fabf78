package io.millrace.aws;

import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** The SDK clients of a deployed function: region, credentials and endpoint by the SDK's default chains. */
final class SdkClients {
    private SdkClients() {}

    static DynamoDbClient dynamoDb() {
        return DynamoDbClient.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .build();
    }

    static KinesisClient kinesis() {
        return KinesisClient.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .build();
    }
}
