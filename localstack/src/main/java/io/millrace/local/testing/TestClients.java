package io.millrace.local.testing;

import io.millrace.local.EmbeddedAws;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/**
 * The SDK clients of a driver, of the test as well as of its functions. They are costly to make, so a verification uses
 * the same ones in all its runs, each of which points them to its own AWS. Requests are not signed. Single-threaded.
 */
final class TestClients implements AutoCloseable {
    private final RequestTap tap = new RequestTap();
    private final CommitConflicts conflicts = new CommitConflicts(tap);
    private final DynamoDbClient dynamoDb = DynamoDbClient.builder()
            .httpClient(tap)
            .credentialsProvider(AnonymousCredentialsProvider.create())
            .region(Region.of(EmbeddedAws.DEFAULT_REGION))
            .overrideConfiguration(settings -> settings.addExecutionInterceptor(conflicts))
            .build();
    private final KinesisClient kinesis = KinesisClient.builder()
            .httpClient(tap)
            .credentialsProvider(AnonymousCredentialsProvider.create())
            .region(Region.of(EmbeddedAws.DEFAULT_REGION))
            .build();

    TestClients() {
        conflicts.setDynamoDb(dynamoDb);
    }

    RequestTap tap() {
        return tap;
    }

    CommitConflicts conflicts() {
        return conflicts;
    }

    DynamoDbClient dynamoDb() {
        return dynamoDb;
    }

    KinesisClient kinesis() {
        return kinesis;
    }

    @Override
    public void close() {
        dynamoDb.close();
        kinesis.close();
    }
}
