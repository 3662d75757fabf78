package io.millrace.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.local.AwsEndpoint;
import io.millrace.local.LocalRun;
import io.millrace.local.MotoServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.core.SdkSystemSetting;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** A whole pipeline on a moto server, which reads no CBOR and loses writes beside a cancelled transaction. */
class LocalRunOnMotoTest {
    private static final int RECORDS = 120;
    private static final int KEYS = 4;
    private static final int SHARDS = 3;

    @BeforeEach
    void speakJson() {
        System.setProperty(SdkSystemSetting.CBOR_ENABLED.property(), "false");
    }

    @AfterEach
    void speakAsBefore() {
        System.clearProperty(SdkSystemSetting.CBOR_ENABLED.property());
    }

    @Test
    void lanesThatMeetAtEveryKeyLoseNothing() throws InterruptedException {
        if (!MotoServer.isInstalled()) {
            System.out.println("LocalRunOnMotoTest skipped: the command moto_server is not on the PATH");
        }
        assumeTrue(MotoServer.isInstalled(), "the command moto_server is not on the PATH");
        try (MotoServer moto = MotoServer.start();
                AwsEndpoint endpoint = AwsEndpoint.at(moto.endpoint())) {
            assertThat(endpoint.isMoto()).isTrue();
            AwsEndpoint ordered = endpoint.oneRequestAtATime();
            try (LocalRun run = LocalRun.of(Counting::harmless, ordered);
                    KinesisClient kinesis = ordered.kinesis();
                    DynamoDbClient dynamoDb = ordered.dynamoDb()) {
                run.provision(SHARDS);
                for (int i = 0; i < RECORDS; i++) {
                    String event = Counting.event("k" + i % KEYS, 1);
                    String partitionKey = "p" + i;
                    kinesis.putRecord(request -> request.streamName(Counting.STREAM)
                            .partitionKey(partitionKey)
                            .data(SdkBytes.fromUtf8String(event)));
                }
                run.start();
                assertThat(run.awaitDrained(Duration.ofMinutes(1))).isTrue();

                ScanRequest scan =
                        ScanRequest.builder().tableName(Counting.TABLE).build();
                assertThat(dynamoDb.scan(scan).items())
                        .hasSize(KEYS)
                        .allSatisfy(row -> assertThat(row)
                                .containsEntry("count", AttributeValue.fromN(Integer.toString(RECORDS / KEYS))));
            }
        }
    }
}
