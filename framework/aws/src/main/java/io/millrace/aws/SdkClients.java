package io.millrace.aws;

import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.s3.S3Client;

/** The SDK clients of a deployed function: region, credentials and endpoint by the SDK's default chains. */
final class SdkClients {
    /** Few, since what goes on failing is waited out by the invocation itself, which knows its deadline. */
    private static final int ATTEMPTS_MAX = 3;

    private SdkClients() {}

    static DynamoDbClient dynamoDb() {
        return DynamoDbClient.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .overrideConfiguration(override())
                .build();
    }

    static KinesisClient kinesis() {
        return KinesisClient.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .overrideConfiguration(override())
                .build();
    }

    static S3Client s3() {
        return S3Client.builder()
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .overrideConfiguration(override())
                .build();
    }

    private static ClientOverrideConfiguration override() {
        return ClientOverrideConfiguration.builder()
                .retryStrategy(AwsRetryStrategy.standardRetryStrategy().toBuilder()
                        .maxAttempts(ATTEMPTS_MAX)
                        .build())
                .build();
    }
}
