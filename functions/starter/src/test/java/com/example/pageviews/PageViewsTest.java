package com.example.pageviews;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.LocalRun;
import io.millrace.local.testing.PipelineTest;
import io.millrace.local.testing.PipelineTestDriver;
import io.millrace.serde.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** The whole pipeline on an AWS in memory, under crashes, repetitions, throttles and lost answers. */
class PageViewsTest {
    private static final Instant START = Instant.parse("2026-11-02T08:00:00Z");
    private static final int VIEWS = 300;

    @PipelineTest(PageViews.class)
    void keepsTheLatestPage(PipelineTestDriver driver) {
        driver.input("page-views", PageView.class)
                .send(
                        new PageView("ada", "/", START),
                        new PageView("cleo", "/about", START),
                        new PageView("ada", "/checkout", START.plusSeconds(9)),
                        new PageView("ada", "/products", START.plusSeconds(5)));
        driver.crashAfter("DynamoDB.TransactWriteItems");
        driver.run();

        assertEquals(
                List.of(
                        new UserRow("ada", 3, "/checkout", START.plusSeconds(9)),
                        new UserRow("cleo", 1, "/about", START)),
                driver.rows("page-views-by-user", UserRow.class));
    }

    /** Runs the pipeline through every crash and several batchings, and demands the same rows and state. */
    @PipelineTest(PageViews.class)
    void keepsNothingOutsideOfState(PipelineTestDriver driver) {
        driver.verify(List.of(
                new PageView("ada", "/", START),
                new PageView("cleo", "/about", START),
                new PageView("ada", "/checkout", START.plusSeconds(9))));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void countsEachViewOnceWhateverHappens(long seed) throws InterruptedException {
        Map<String, Long> expected = new TreeMap<>();
        try (EmbeddedAws aws = EmbeddedAws.create();
                AwsEndpoint endpoint = AwsEndpoint.of(aws);
                KinesisClient kinesis = endpoint.kinesis();
                DynamoDbClient dynamoDb = endpoint.dynamoDb();
                LocalRun run = LocalRun.withChaos(PageViews::new, endpoint, seed)) {
            run.provision(2);
            Random random = new Random(seed);
            for (int i = 0; i < VIEWS; i++) {
                PageView view = new PageView("user-" + random.nextInt(20), "/page/" + i, START.plusSeconds(i));
                expected.merge(view.user(), 1L, Long::sum);
                byte[] data = Json.of(PageView.class).serialize(view);
                // Partitioned by page, so each user's views are in both shards.
                kinesis.putRecord(put -> put.streamName("page-views")
                        .partitionKey(view.page())
                        .data(SdkBytes.fromByteArray(data)));
            }
            run.start();
            assertTrue(run.awaitDrained(Duration.ofMinutes(1)));

            Map<String, Long> counted = dynamoDb.scan(scan -> scan.tableName("page-views-by-user")).items().stream()
                    .collect(Collectors.toMap(
                            row -> row.get("user").s(), row -> Long.valueOf(row.get("views").n())));
            assertEquals(expected, new TreeMap<>(counted));
        }
    }
}
