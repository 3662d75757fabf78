package io.millrace.aws;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.serde.Keys;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;

/** The code of the guide on reading state, which must be this file's. */
class ReadingStateGuideTest {
    private static final Path GUIDE = Path.of("../framework/docs/guides/reading-state.md");
    private static final Path SOURCE = Path.of("src/test/java/io/millrace/aws/ReadingStateGuideTest.java");
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    record Balance(@PartitionKey long account, long amount) {}

    private static final class Orders implements PipelineDefinition {
        @Override
        public String name() {
            return "orders";
        }

        @Override
        public void define(PipelineBuilder pipeline) {
            pipeline.fromKinesis("orders", Json.of(Balance.class))
                    .keyBy(Balance::account, Keys.LONG)
                    .reduce((sum, order) -> new Balance(order.account(), sum.amount() + order.amount()))
                    .uid("accounts")
                    .sinkTo(DynamoDbSink.rows("balances", Balance.class));
        }
    }

    private static Optional<StoredCell> example(DynamoDbClient dynamoDb, Map<String, Long> largest) {
        StateReader state = StateReader.live(dynamoDb, "orders");
        for (StoredCell cell : state.cells("accounts")) {
            if (cell.isReadable() && !cell.isTombstone()) {
                Optional<Balance> balance = cell.value("reduced", Balance.class);
                balance.ifPresent(found -> largest.merge(cell.key(), found.amount(), Math::max));
            }
        }
        Optional<StoredCell> one = state.cell("accounts", 42L, Keys.LONG);
        return one;
    }

    @Test
    void theExampleIsThisFilesCode() throws IOException {
        Matcher example = EXAMPLE.matcher(Files.readString(GUIDE));

        assertThat(example.find()).isTrue();
        assertThat(Files.readString(SOURCE)).contains(example.group(1));
    }

    @Test
    void theExampleWorks() {
        try (ShellFixture fixture = new ShellFixture(new Orders(), 1)) {
            fixture.put(0, "{\"account\":42,\"amount\":3}", "{\"account\":42,\"amount\":4}");
            fixture.process(0, 0, 2);
            Map<String, Long> largest = new TreeMap<>();

            Optional<StoredCell> one = example(fixture.dynamoDb(), largest);

            assertThat(largest).isEqualTo(Map.of("42", 7L));
            assertThat(one).isPresent();
        }
    }
}
