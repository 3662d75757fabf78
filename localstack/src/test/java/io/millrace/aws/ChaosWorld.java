package io.millrace.aws;

import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.aws.Mishaps.Event;
import io.millrace.aws.Mishaps.Kind;
import io.millrace.aws.internal.Items;
import io.millrace.internal.engine.Position;
import io.millrace.local.EmbeddedAws;
import io.millrace.serde.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.Shard;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/** The streams and tables of one chaos run: what is sent, and the checks of what is stored. */
final class ChaosWorld implements AutoCloseable {
    private static final int RECORDS_MAX = 40;
    private static final int KEYS = 4;

    /** A record as it was sent; an undecodable one has no event. */
    record Sent(
            int lane,
            int index,
            String sequenceNumber,
            @Nullable Event event,
            Record record) {
        Position position() {
            return Position.of(sequenceNumber);
        }

        Kind kind() {
            return event == null ? Kind.NOTHING : event.kind();
        }
    }

    /** A shard and all that was sent to it. */
    record SentLane(String shardId, List<Sent> records) {
        int indexOf(String sequenceNumber) {
            return IntStream.range(0, records.size())
                    .filter(i -> records.get(i).sequenceNumber().equals(sequenceNumber))
                    .findFirst()
                    .orElseThrow();
        }

        int mishaps() {
            return (int) records.stream()
                    .filter(sent -> sent.event() == null || sent.kind() != Kind.NOTHING)
                    .count();
        }
    }

    private record Part(String id, String key) {}

    private final Mishaps pipeline;
    private final EmbeddedAws aws = EmbeddedAws.create();
    private final SdkHttpClient http = Fiber.admitting(aws.httpClient());
    private final Map<SdkHttpClient, DynamoDbClient> dynamoDbs = new HashMap<>();
    private final Map<SdkHttpClient, KinesisClient> kineses = new HashMap<>();
    private final List<SentLane> lanes = new ArrayList<>();
    private final Map<String, Position> highest = new HashMap<>();

    ChaosWorld(Mishaps pipeline, Random random, int shards) {
        this.pipeline = pipeline;
        KinesisClient kinesis = kinesis(http);
        kinesis.createStream(request -> request.streamName(Mishaps.STREAM).shardCount(shards));
        new Provisioning(dynamoDb(http)).createTables(pipeline);
        int mishapsIn100 = random.nextInt(3) == 0 ? 0 : 5 + random.nextInt(40);
        for (Shard shard : kinesis.listShards(request -> request.streamName(Mishaps.STREAM))
                .shards()) {
            lanes.add(send(kinesis, shard, lanes.size(), random, mishapsIn100));
        }
    }

    private static SentLane send(KinesisClient kinesis, Shard shard, int lane, Random random, int mishapsIn100) {
        int count = 8 + random.nextInt(RECORDS_MAX - 8);
        List<@Nullable Event> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Event event =
                    random.nextInt(100) < mishapsIn100 / 4 ? null : newEvent(lane + "." + i, random, mishapsIn100);
            events.add(event);
            byte[] payload = event == null
                    ? "no event".getBytes(StandardCharsets.UTF_8)
                    : Json.of(Event.class).serialize(event);
            kinesis.putRecord(request -> request.streamName(Mishaps.STREAM)
                    .partitionKey("p")
                    .explicitHashKey(shard.hashKeyRange().startingHashKey())
                    .data(SdkBytes.fromByteArray(payload)));
        }
        String iterator = kinesis.getShardIterator(request -> request.streamName(Mishaps.STREAM)
                        .shardId(shard.shardId())
                        .shardIteratorType(ShardIteratorType.TRIM_HORIZON))
                .shardIterator();
        List<Record> records =
                kinesis.getRecords(request -> request.shardIterator(iterator)).records();
        List<Sent> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sent.add(new Sent(lane, i, records.get(i).sequenceNumber(), events.get(i), records.get(i)));
        }
        return new SentLane(shard.shardId(), sent);
    }

    private static Event newEvent(String id, Random random, int mishapsIn100) {
        Set<String> keys = new TreeSet<>();
        int parts = random.nextInt(3) == 0 ? random.nextInt(KEYS) : 1;
        for (int i = 0; i < parts; i++) {
            keys.add("key" + random.nextInt(KEYS));
        }
        Kind[] kinds = Kind.values();
        Kind kind = random.nextInt(100) < mishapsIn100 ? kinds[1 + random.nextInt(kinds.length - 1)] : Kind.NOTHING;
        List<String> order = new ArrayList<>(keys);
        Collections.shuffle(order, random);
        return new Event(id, order, keys.isEmpty() && !kind.name().contains("BEFORE") ? Kind.NOTHING : kind);
    }

    List<SentLane> lanes() {
        return lanes;
    }

    DynamoDbClient dynamoDb(SdkHttpClient ofInvocation) {
        return dynamoDbs.computeIfAbsent(
                ofInvocation,
                client -> DynamoDbClient.builder()
                        .httpClient(client)
                        .region(Region.US_EAST_1)
                        .credentialsProvider(AnonymousCredentialsProvider.create())
                        .overrideConfiguration(QuickRetries.OVERRIDE)
                        .build());
    }

    KinesisClient kinesis(SdkHttpClient ofInvocation) {
        return kineses.computeIfAbsent(
                ofInvocation,
                client -> KinesisClient.builder()
                        .httpClient(client)
                        .region(Region.US_EAST_1)
                        .credentialsProvider(AnonymousCredentialsProvider.create())
                        .overrideConfiguration(QuickRetries.OVERRIDE)
                        .build());
    }

    /** A client whose requests a {@link Fiber} can be made to wait or die at. */
    SdkHttpClient fiberHttpClient() {
        return http;
    }

    KinesisEvent event(int lane, int from, int to) {
        SentLane sentLane = lanes.get(lane);
        List<KinesisEvent.KinesisEventRecord> eventRecords = new ArrayList<>();
        for (Sent sent : sentLane.records().subList(from, to)) {
            KinesisEvent.Record kinesisRecord = new KinesisEvent.Record();
            kinesisRecord.setData(ByteBuffer.wrap(sent.record().data().asByteArray()));
            kinesisRecord.setSequenceNumber(sent.sequenceNumber());
            kinesisRecord.setPartitionKey("p");
            kinesisRecord.setApproximateArrivalTimestamp(Date.from(sent.record().approximateArrivalTimestamp()));
            KinesisEvent.KinesisEventRecord eventRecord = new KinesisEvent.KinesisEventRecord();
            eventRecord.setKinesis(kinesisRecord);
            eventRecord.setEventID(sentLane.shardId() + ":" + sent.sequenceNumber());
            eventRecord.setEventSourceARN("arn:aws:kinesis:us-east-1:000000000000:stream/" + Mishaps.STREAM);
            eventRecords.add(eventRecord);
        }
        KinesisEvent event = new KinesisEvent();
        event.setRecords(eventRecords);
        return event;
    }

    private List<ObjectNode> scan(String table) {
        return dynamoDb(http).scan(request -> request.tableName(table).consistentRead(true)).items().stream()
                .map(Items::fromAttributes)
                .toList();
    }

    private Map<String, ObjectNode> cells() {
        Map<String, ObjectNode> cells = new LinkedHashMap<>();
        scan("mishaps-state").forEach(cell -> cells.put(cell.path("key").asText(), cell));
        return cells;
    }

    private static @Nullable Position fence(@Nullable ObjectNode cell, int lane) {
        JsonNode entry = cell == null ? null : cell.path("fence").get("0." + lane);
        try {
            return entry == null ? null : Position.decode(entry.binaryValue());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * I3 and I4 when an invocation has ended: no fence and no cursor is lower than it ever was, and each acknowledged record
     * is behind the fence of each of its keys, or a dead letter without a key.
     */
    void assertAcknowledgedRightly(int lane, int from, int to) {
        Map<String, ObjectNode> cells = cells();
        for (int each = 0; each < lanes.size(); each++) {
            for (int key = 0; key < KEYS; key++) {
                assertRises("fence of key" + key + " for lane " + each, fence(cells.get("key" + key), each));
            }
        }
        for (ObjectNode item : scan("mishaps-control")) {
            if (item.has("cursor")) {
                assertRises(
                        "cursor of " + item.path("sk"),
                        Position.parse(item.path("cursor").asText()));
            }
        }
        List<Sent> notAbsorbed = lanes.get(lane).records().subList(from, to).stream()
                .filter(sent -> !isBehindFences(sent, cells))
                .toList();
        if (!notAbsorbed.isEmpty()) {
            Map<Part, ObjectNode> letters = letters();
            for (Sent sent : notAbsorbed) {
                assertThat(letters)
                        .as("I4: record %s.%s %s is acknowledged", lane, sent.index(), sent.event())
                        .containsKey(new Part(sent.sequenceNumber(), ""));
            }
        }
    }

    private static boolean isBehindFences(Sent sent, Map<String, ObjectNode> cells) {
        Event event = sent.event();
        return event != null
                && event.keys().stream().allMatch(key -> {
                    Position fence = fence(cells.get(key), sent.lane());
                    return fence != null && fence.compareTo(sent.position()) >= 0;
                });
    }

    private void assertRises(String what, @Nullable Position position) {
        Position before = highest.get(what);
        if (before != null) {
            assertThat(position).as("I3: %s", what).isNotNull().isGreaterThanOrEqualTo(before);
        }
        if (position != null) {
            highest.put(what, position);
        }
    }

    /** The dead letters by sequence number and key. */
    private Map<Part, ObjectNode> letters() {
        Map<Part, ObjectNode> letters = new LinkedHashMap<>();
        for (ObjectNode letter : scan("mishaps-dead-letters")) {
            ObjectNode other = letters.put(
                    new Part(
                            letter.path("sequence_number").asText(),
                            letter.path("key").asText("")),
                    letter);
            assertThat(other).isNull();
        }
        return letters;
    }

    /** I1, I2 and I7 at the end of a run. */
    void assertEachRecordOnce(IntPredicate mayBeGivenUp) {
        Map<Part, ObjectNode> letters = letters();
        Map<String, List<String>> seen = new HashMap<>();
        cells().forEach((key, cell) -> seen.put(key, seenBy(cell)));
        for (SentLane lane : lanes) {
            for (Sent sent : lane.records()) {
                assertOnce(sent, letters, seen, mayBeGivenUp.test(sent.lane()));
            }
        }
        assertThat(letters).as("I7: dead letters that nobody accounts for").isEmpty();
        assertOrder(seen);
        assertRows(seen);
    }

    private static List<String> seenBy(ObjectNode cell) {
        JsonNode stored = cell.path("state").path("seen");
        try {
            List<String> ids = new ArrayList<>();
            if (!stored.isMissingNode()) {
                byte[] json =
                        stored.isTextual() ? stored.asText().getBytes(StandardCharsets.UTF_8) : stored.binaryValue();
                Json.mapper().readTree(json).path("ids").forEach(id -> ids.add(id.asText()));
            }
            return ids;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** I7: each part of a record is absorbed or a dead letter, or the whole record is a dead letter without a key. */
    private void assertOnce(
            Sent sent, Map<Part, ObjectNode> letters, Map<String, List<String>> seen, boolean mayBeGivenUp) {
        ObjectNode keyless = letters.remove(new Part(sent.sequenceNumber(), ""));
        String what = "I7: record " + sent.lane() + "." + sent.index() + " " + sent.event();
        Event event = sent.event();
        if (event == null) {
            assertThat(keyless).as(what).isNotNull();
            return;
        }
        boolean killed = keyless != null && keyless.path("kind").asText().equals("PROCESS_KILLED");
        if (event.kind() == Kind.THROWS_BEFORE_ITS_KEY || event.kind() == Kind.KILLS_BEFORE_ITS_KEY) {
            assertThat(keyless != null
                            || pipeline.runsOf(event.id()) > 0
                            || event.keys().isEmpty())
                    .as(what)
                    .isTrue();
        } else if (keyless != null) {
            assertThat(killed && mayBeGivenUp).as(what + ": " + keyless).isTrue();
        }
        for (String key : event.keys()) {
            int timesSeen = Collections.frequency(seen.getOrDefault(key, List.of()), event.id());
            ObjectNode letter = letters.remove(new Part(sent.sequenceNumber(), key));
            assertThat(timesSeen + (letter == null ? 0 : 1) + (keyless == null ? 0 : 1))
                    .as(
                            "%s at %s: seen %s times, dead letter %s, without key %s",
                            what, key, timesSeen, letter, keyless)
                    .isEqualTo(1);
            if (letter != null && event.kind() == Kind.NOTHING) {
                assertThat(letter.path("kind").asText().equals("PROCESS_KILLED") && mayBeGivenUp)
                        .as("%s: dead letter %s", what, letter)
                        .isTrue();
            }
        }
    }

    /** I1: each key has seen each lane's records in their order. */
    private void assertOrder(Map<String, List<String>> seen) {
        seen.forEach((key, ids) -> {
            for (SentLane lane : lanes) {
                List<String> order = lane.records().stream()
                        .map(Sent::event)
                        .filter(Objects::nonNull)
                        .map(Event::id)
                        .filter(ids::contains)
                        .toList();
                assertThat(ids.stream().filter(order::contains).toList())
                        .as("I1: order at %s", key)
                        .isEqualTo(order);
            }
        });
    }

    /** I2: the rows are those that the absorbed events have put out, and no others. */
    private void assertRows(Map<String, List<String>> seen) {
        Map<Part, String> expected = new HashMap<>();
        seen.forEach((key, ids) -> {
            for (int i = 0; i < ids.size(); i++) {
                expected.put(new Part(ids.get(i), key), ids.get(i) + " " + (i + 1));
                expected.put(new Part(Mishaps.LATEST, key), ids.get(i) + " " + (i + 1));
            }
        });
        Map<Part, String> rows = new HashMap<>();
        for (ObjectNode row : scan(Mishaps.TABLE)) {
            rows.put(
                    new Part(row.path("id").asText(), row.path("key").asText()),
                    row.path("last").asText() + " " + row.path("count").asInt());
        }
        assertThat(rows).as("I2: rows").isEqualTo(expected);
    }

    @Override
    public void close() {
        aws.close();
    }
}
