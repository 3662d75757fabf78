package io.millrace.aws.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.TimeDomain;
import io.millrace.aws.QuickRetries;
import io.millrace.internal.engine.Cell;
import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.CellKey;
import io.millrace.internal.engine.CellTime;
import io.millrace.internal.engine.DoneRedrives;
import io.millrace.internal.engine.Fence;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.StoredState;
import io.millrace.internal.engine.Timer;
import io.millrace.internal.engine.Unit;
import io.millrace.local.EmbeddedAws;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** The conditions of a unit's commit, each on its own. */
class UnitCommitTest {
    private static final String TABLE = "state";
    private static final String STREAM = "events";
    private static final Lane LANE = new Lane(0, STREAM, "shardId-000000000000");
    private static final Lane OTHER_LANE = new Lane(0, STREAM, "shardId-000000000001");
    private static final CellKey KEY = new CellKey("stage", "k", 1);
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");

    private final EmbeddedAws aws = EmbeddedAws.create();
    private final DynamoDbClient dynamoDb = DynamoDbClient.builder()
            .httpClient(aws.httpClient())
            .region(Region.US_EAST_1)
            .credentialsProvider(AnonymousCredentialsProvider.create())
            .overrideConfiguration(QuickRetries.OVERRIDE)
            .build();
    private final KinesisClient kinesis = KinesisClient.builder()
            .httpClient(aws.httpClient())
            .region(Region.US_EAST_1)
            .credentialsProvider(AnonymousCredentialsProvider.create())
            .overrideConfiguration(QuickRetries.OVERRIDE)
            .build();

    @BeforeEach
    void createTableAndStream() {
        dynamoDb.createTable(request -> request.tableName(TABLE)
                .attributeDefinitions(AttributeDefinition.builder()
                        .attributeName("pk")
                        .attributeType(ScalarAttributeType.S)
                        .build())
                .keySchema(KeySchemaElement.builder()
                        .attributeName("pk")
                        .keyType(KeyType.HASH)
                        .build())
                .billingMode(BillingMode.PAY_PER_REQUEST));
        kinesis.createStream(request -> request.streamName(STREAM).shardCount(1));
    }

    @AfterEach
    void closeAws() {
        aws.close();
    }

    /** A commit as of a new function instance. */
    private UnitCommit newCommit() {
        Surroundings surroundings = new Surroundings(Clock.fixed(NOW, ZoneOffset.UTC), new Random(1), millis -> {});
        return new UnitCommit(
                dynamoDb,
                TABLE,
                new DeadLetterTable(dynamoDb, "dead-letters", surroundings, ShellRules.PROTOCOL),
                new StreamRetention(kinesis, surroundings.clock()),
                surroundings,
                ShellRules.PROTOCOL);
    }

    private static Cell cell(String version, Map<Lane, String> fence, String state) {
        Map<String, Position> positions = new java.util.TreeMap<>();
        fence.forEach((lane, position) -> positions.put(lane.fenceName(), Position.of(position)));
        Map<String, StoredState> states = state.isEmpty()
                ? Map.of()
                : Map.of("text", new StoredState.Value(state.getBytes(StandardCharsets.UTF_8), true));
        return new Cell(KEY, version, Fence.of(positions), states);
    }

    private static Unit unit(Cell before, Cell after, String last) {
        return unit(before, after, after.isTombstone() ? Instant.EPOCH : null, last);
    }

    private static Unit unit(Cell before, Cell after, @Nullable Instant expiry, String last) {
        return new Unit(
                STREAM,
                new Unit.Progress(LANE, Position.of(last)),
                before,
                after,
                CellItems.toItem(after),
                expiry,
                1,
                List.of(),
                0,
                0,
                List.of(),
                List.of());
    }

    /** A unit of timers alone. */
    private static Unit timers(Cell before, Cell after) {
        return new Unit(
                STREAM,
                null,
                before,
                after,
                CellItems.toItem(after),
                null,
                0,
                List.of(new Timer(TimeDomain.EVENT_TIME, 5, "")),
                0,
                0,
                List.of(),
                List.of());
    }

    /** Two sweepers, or a sweeper and a lane, can meet at a cell: the version decides, since there is no fence to ask. */
    @Test
    void aUnitOfTimersAloneIsTakenUnderTheVersionThatWasRead() {
        Cell first = first();
        Cell fired = cell("v2", Map.of(LANE, "10"), "fired");
        assertThat(newCommit().commit(timers(first, fired))).isEqualTo(new CommitOutcome.Committed());

        assertThat(newCommit().commit(timers(first, cell("v3", Map.of(LANE, "10"), "fired"))))
                .isInstanceOf(CommitOutcome.Conflict.class);
        assertThat(newCommit().commit(timers(first, fired)))
                .as("the same write again, as after a lost answer")
                .isEqualTo(new CommitOutcome.AlreadyCommitted());
        assertThat(stored().path("version").asText()).isEqualTo("v2");
    }

    private ObjectNode stored() {
        return Items.fromAttributes(
                dynamoDb.scan(request -> request.tableName(TABLE)).items().get(0));
    }

    private Cell first() {
        Cell first = cell("v1", Map.of(LANE, "10"), "ten");
        assertThat(newCommit().commit(unit(Cell.absent(KEY), first, "10"))).isEqualTo(new CommitOutcome.Committed());
        return first;
    }

    @Test
    void theFenceIsAConditionOfItsOwn() {
        first();
        Cell misread = cell("v1", Map.of(), "");

        assertThat(newCommit().commit(unit(misread, cell("v2", Map.of(LANE, "9"), "nine"), "9")))
                .isEqualTo(new CommitOutcome.AlreadyCommitted());
        assertThat(newCommit().commit(unit(misread, cell("v2", Map.of(LANE, "10"), "ten again"), "10")))
                .isEqualTo(new CommitOutcome.AlreadyCommitted());
        assertThat(stored().path("state").path("text").asText()).isEqualTo("ten");
    }

    @Test
    void theVersionIsAConditionOfItsOwn() {
        Cell first = first();
        Cell second = cell("v2", Map.of(LANE, "10", OTHER_LANE, "5"), "five");
        dynamoDb.putItem(request -> request.tableName(TABLE).item(Items.toAttributes(CellItems.toItem(second))));

        assertThat(newCommit().commit(unit(first, cell("v3", Map.of(LANE, "11"), "eleven"), "11")))
                .isInstanceOf(CommitOutcome.Conflict.class);
        assertThat(newCommit().commit(unit(Cell.absent(KEY), cell("v3", Map.of(LANE, "11"), "eleven"), "11")))
                .isInstanceOf(CommitOutcome.Conflict.class);
        assertThat(stored().path("state").path("text").asText()).isEqualTo("five");
    }

    @Test
    void anExpiredTombstoneThatIsStillThereIsThere() {
        newCommit().commit(unit(Cell.absent(KEY), cell("v1", Map.of(LANE, "10"), ""), "10"));
        dynamoDb.updateItem(request -> request.tableName(TABLE)
                .key(Map.of("pk", Items.text(CellItems.partitionKey(KEY))))
                .updateExpression("SET #t = :past")
                .expressionAttributeNames(Map.of("#t", "ttl"))
                .expressionAttributeValues(Map.of(":past", Items.number(1))));

        assertThat(newCommit().commit(unit(Cell.absent(KEY), cell("v2", Map.of(LANE, "10"), "again"), "10")))
                .isEqualTo(new CommitOutcome.AlreadyCommitted());
    }

    @Test
    void aTombstoneLivesForTheStreamsRetentionAndADay() {
        Cell empty = cell("v1", Map.of(LANE, "10"), "");
        newCommit().commit(unit(Cell.absent(KEY), empty, "10"));
        assertThat(stored().path("ttl").asLong())
                .isEqualTo(NOW.plus(Duration.ofDays(1 + 1)).getEpochSecond());

        kinesis.increaseStreamRetentionPeriod(
                request -> request.streamName(STREAM).retentionPeriodHours(168));
        Cell emptyAgain = cell("v2", Map.of(LANE, "11"), "");
        newCommit().commit(unit(empty, emptyAgain, "11"));
        assertThat(stored().path("ttl").asLong())
                .isEqualTo(NOW.plus(Duration.ofDays(7 + 1)).getEpochSecond());

        newCommit().commit(unit(emptyAgain, cell("v3", Map.of(LANE, "12"), "full"), "12"));
        assertThat(stored().has("ttl")).as("a cell with state does not expire").isFalse();
    }

    @Test
    void aCellWhoseStateExpiresLaterIsATombstoneFromThenOn() {
        Instant later = NOW.plus(Duration.ofDays(30));
        Cell expiring = cell("v1", Map.of(LANE, "10"), "ten");
        newCommit().commit(unit(Cell.absent(KEY), expiring, later, "10"));
        assertThat(stored().path("ttl").asLong())
                .isEqualTo(later.plus(Duration.ofDays(1 + 1)).getEpochSecond());

        Cell expired = cell("v2", Map.of(LANE, "11"), "eleven");
        newCommit().commit(unit(expiring, expired, NOW.minusSeconds(1), "11"));
        assertThat(stored().path("ttl").asLong())
                .as("never before a tombstone of this write might go")
                .isEqualTo(NOW.plus(Duration.ofDays(1 + 1)).getEpochSecond());
    }

    @Test
    void aTombstoneLivesAsLongAsTheRedrivesInItToo() {
        Instant beyond = NOW.plus(Duration.ofDays(9));
        Cell empty = cell("v1", Map.of(LANE, "10"), "");
        Cell redriven = new Cell(
                KEY,
                "v1",
                empty.fence(),
                empty.states(),
                DoneRedrives.of(Map.of("0.0@x", beyond, "0.0@y", NOW)),
                CellTime.NONE,
                null);
        newCommit().commit(unit(Cell.absent(KEY), redriven, "10"));
        assertThat(stored().path("ttl").asLong()).isEqualTo(beyond.getEpochSecond());

        Cell soon = new Cell(
                KEY,
                "v2",
                cell("v2", Map.of(LANE, "11"), "").fence(),
                Map.of(),
                DoneRedrives.of(Map.of("0.0@y", NOW)),
                CellTime.NONE,
                null);
        newCommit().commit(unit(redriven, soon, "11"));
        assertThat(stored().path("ttl").asLong())
                .isEqualTo(NOW.plus(Duration.ofDays(1 + 1)).getEpochSecond());
    }
}
