package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.PipelineBuilder;
import io.millrace.serde.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Invocations that interleave at random over one store: each reads its cells at one moment and commits its units one by
 * one at later ones, with others in between; some crash. The seed decides everything.
 */
final class DeliverySimulation {
    private static final int LANES = 3;
    private static final int KEYS = 4;
    private static final int RECORDS_A_LANE = 12;
    private static final int ROWS_MAX = 80;
    private static final int BATCH_MAX = 6;
    private static final int INVOCATIONS_MAX = 4;
    private static final int MOVES_MAX = 20_000;

    /** How often something was met. */
    static final class Met {
        final Map<String, Integer> counts = new TreeMap<>();

        void count(String what) {
            counts.merge(what, 1, Integer::sum);
        }

        void add(Met other) {
            other.counts.forEach((what, count) -> counts.merge(what, count, Integer::sum));
        }
    }

    /** A lane's records, and how many of them are acknowledged. */
    private static final class LaneFeed {
        private final Lane lane;
        private final List<InputRecord> records = new ArrayList<>();
        private int cursor;

        LaneFeed(Lane lane) {
            this.lane = lane;
        }

        boolean isDone() {
            return cursor == records.size();
        }
    }

    /** An invocation that has run and has units left to commit. */
    private record Invocation(LaneFeed feed, int end, List<InputRecord> batch, Map<String, Deque<Unit>> left) {}

    private final Random random;
    private final boolean manyRows;
    private final CellStore store = new CellStore();
    private final StageEngine engine;
    private final List<LaneFeed> feeds = new ArrayList<>();
    private final Map<String, Tally.Event> events = new LinkedHashMap<>();
    private final Set<String> undecodableDeadLetters = new LinkedHashSet<>();
    private final List<Invocation> running = new ArrayList<>();
    private final Met met = new Met();
    private int versions;

    DeliverySimulation(long seed, boolean manyRows) {
        this.random = new Random(seed);
        this.manyRows = manyRows;
        this.engine = new StageEngine(PipelineBuilder.plan(new Tally()).stage(Tally.UID), () -> "v" + ++versions);
        for (int i = 0; i < LANES; i++) {
            feeds.add(newFeed(i));
        }
    }

    Met met() {
        return met;
    }

    private LaneFeed newFeed(int index) {
        LaneFeed feed = new LaneFeed(new Lane(index % 2, "events" + index % 2, "shardId-%012d".formatted(index / 2)));
        long sequence = random.nextInt(20);
        for (int i = 0; i < RECORDS_A_LANE; i++) {
            int subSequence = 0;
            if (i > 0 && random.nextInt(4) == 0) {
                subSequence = feed.records.get(i - 1).position().subSequence() + 1;
            } else {
                sequence += 1 + random.nextInt(60);
            }
            Position position = new Position(new SequenceNumber(Long.toString(sequence)), subSequence);
            feed.records.add(new InputRecord(position, payload(feed.lane, position), Instant.EPOCH));
        }
        return feed;
    }

    private static String id(Lane lane, Position position) {
        return lane.fenceName() + "@" + position;
    }

    private byte[] payload(Lane lane, Position position) {
        if (random.nextInt(15) == 0) {
            return "no event".getBytes(StandardCharsets.UTF_8);
        }
        List<Tally.Part> parts = new ArrayList<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            parts.add(new Tally.Part("key" + random.nextInt(KEYS), random.nextInt(100), random.nextInt(12) == 0));
        }
        Tally.Event event = new Tally.Event(id(lane, position), parts, manyRows ? random.nextInt(ROWS_MAX) : 1);
        events.put(event.id(), event);
        return Json.of(Tally.Event.class).serialize(event);
    }

    /** Delivers until every record is acknowledged and every zombie has ended. */
    void run() {
        for (int move = 0; move < MOVES_MAX; move++) {
            if (running.isEmpty() && feeds.stream().allMatch(LaneFeed::isDone)) {
                return;
            }
            if (running.size() < INVOCATIONS_MAX && random.nextInt(3) == 0) {
                begin();
            } else if (!running.isEmpty()) {
                advance(running.get(random.nextInt(running.size())));
            }
        }
        throw new IllegalStateException("not done after " + MOVES_MAX + " moves");
    }

    /** Begins a batch at the cursor or, as a redelivery, before it. */
    private void begin() {
        LaneFeed feed = feeds.get(random.nextInt(feeds.size()));
        int begin = random.nextInt(3) == 0 ? random.nextInt(feed.cursor + 1) : feed.cursor;
        int end = Math.min(feed.records.size(), begin + 1 + random.nextInt(BATCH_MAX));
        if (begin == end) {
            return;
        }
        List<InputRecord> batch = feed.records.subList(begin, end);
        Condemned condemned = new Condemned();
        Set<String> keys = keysOf(feed, batch);
        RunResult result = runUntilGood(feed, batch, keys, condemned, true);
        if (result.stoppedAt() != null) {
            met.count("stopped");
            int done = 0;
            while (!batch.get(done).position().equals(result.stoppedAt())) {
                done++;
            }
            batch = batch.subList(0, done);
            end = begin + done;
        }
        running.add(new Invocation(feed, end, batch, queued(result)));
    }

    private static Map<String, Deque<Unit>> queued(RunResult result) {
        Map<String, Deque<Unit>> left = new LinkedHashMap<>();
        result.units().forEach((key, units) -> left.put(key, new ArrayDeque<>(units)));
        return left;
    }

    private Set<String> keysOf(LaneFeed feed, List<InputRecord> batch) {
        Set<String> keys = new LinkedHashSet<>();
        for (RoutedRecord record : route(feed, batch)) {
            keys.addAll(record.elements().keySet());
        }
        return keys;
    }

    private List<RoutedRecord> route(LaneFeed feed, List<InputRecord> batch) {
        List<RoutedRecord> routed = new ArrayList<>();
        for (InputRecord record : batch) {
            try {
                routed.add(engine.route(record));
            } catch (RecordFailure e) {
                assertThat(e.kind()).isEqualTo(RecordFailure.Kind.UNDECODABLE);
                undecodableDeadLetters.add(id(feed.lane, record.position()));
            }
        }
        return routed;
    }

    /** Runs a batch, and again with each failing record condemned, as under the policy to dead-letter at once. */
    private RunResult runUntilGood(
            LaneFeed feed, List<InputRecord> batch, Set<String> keys, Condemned condemned, boolean mayStop) {
        for (int attempt = 0; attempt <= batch.size() * KEYS; attempt++) {
            Map<String, Cell> cells = new LinkedHashMap<>();
            keys.forEach(key -> cells.put(key, store.load(key(key))));
            RunResult result = engine.run(
                    feed.lane,
                    StageTime.withoutWatermark(Instant.EPOCH),
                    route(feed, batch),
                    cells,
                    condemned,
                    Set.of(),
                    () -> mayStop && random.nextInt(20) == 0);
            met.counts.merge("duplicate", result.duplicates(), Integer::sum);
            if (result.failure() == null) {
                if (result.units().values().stream().anyMatch(units -> units.size() > 1)) {
                    met.count("divided");
                }
                return result;
            }
            met.count("condemned");
            condemned.add(result.failure(), 1);
        }
        throw new IllegalStateException("a condemned record fails again and again");
    }

    private static CellKey key(String key) {
        return new CellKey(Tally.UID, key, 1);
    }

    /** Commits an invocation's next unit, or ends it. */
    private void advance(Invocation invocation) {
        if (random.nextInt(25) == 0) {
            met.count("crash");
            running.remove(invocation);
            return;
        }
        List<String> open = invocation.left().entrySet().stream()
                .filter(entry -> !entry.getValue().isEmpty())
                .map(Map.Entry::getKey)
                .toList();
        if (open.isEmpty()) {
            running.remove(invocation);
            invocation.feed().cursor = Math.max(invocation.feed().cursor, invocation.end());
            return;
        }
        String key = open.get(random.nextInt(open.size()));
        Deque<Unit> units = Objects.requireNonNull(invocation.left().get(key));
        switch (store.commit(units.element())) {
            case COMMITTED -> units.remove();
            case ALREADY_COMMITTED -> {
                met.count("already committed");
                units.remove();
            }
            case CONFLICT -> {
                met.count("conflict");
                RunResult again =
                        runUntilGood(invocation.feed(), invocation.batch(), Set.of(key), new Condemned(), false);
                units.clear();
                units.addAll(EngineHarness.units(again, key));
            }
        }
    }

    /** What must hold in the end, whatever was delivered how often. */
    void assertExactlyOnce() {
        Map<String, Integer> linesExpected = new TreeMap<>();
        for (int i = 0; i < KEYS; i++) {
            assertCell("key" + i, linesExpected);
        }
        Map<String, Integer> lines = new TreeMap<>();
        store.rows.forEach((identity, row) -> lines.put(
                identity.partitionKey() + " " + identity.sortKey(),
                row.get("checksum").asInt()));
        assertThat(lines).as("I2: rows of committed cells, and no others").isEqualTo(linesExpected);
        assertDeadLetters();
    }

    /** I1 and the state: a sequential run in the order of the log gives the same; each lane's part of it is in order. */
    private void assertCell(String key, Map<String, Integer> linesExpected) {
        Cell cell = store.load(key(key));
        List<String> ids = ids(cell);
        for (LaneFeed feed : feeds) {
            List<String> expected = good(feed, key);
            assertThat(ids.stream().filter(expected::contains).toList())
                    .as("I1: records of %s that %s absorbed", feed.lane, key)
                    .isEqualTo(expected);
        }
        int checksum = 0;
        Map<String, Integer> amounts = new TreeMap<>();
        for (String id : new LinkedHashSet<>(ids)) {
            Tally.Event event = Objects.requireNonNull(events.get(id));
            for (Tally.Part part : event.parts()) {
                if (part.key().equals(key)) {
                    checksum = Tally.next(checksum, part.amount());
                    amounts.merge(id, part.amount(), Integer::sum);
                    for (int i = 0; i < event.rows(); i++) {
                        linesExpected.put(key + " " + id + "/" + i, checksum);
                    }
                    linesExpected.put(key + " latest", checksum);
                }
            }
        }
        assertThat(state(cell, "log").path("checksum").asInt()).isEqualTo(checksum);
        Map<String, Integer> stored = new TreeMap<>();
        if (cell.states().get("amounts") instanceof StoredState.Entries entries) {
            entries.entries().forEach((id, amount) -> stored.put(id, Integer.valueOf(amount.text())));
        }
        assertThat(stored).isEqualTo(amounts);
    }

    /** The ids that a key must have absorbed of a lane, in lane order, once a part. */
    private List<String> good(LaneFeed feed, String key) {
        return feed.records.stream()
                .map(record -> events.get(id(feed.lane, record.position())))
                .filter(event -> event != null && !isPoison(event, key))
                .flatMap(event -> event.parts().stream()
                        .filter(part -> part.key().equals(key))
                        .map(part -> event.id()))
                .toList();
    }

    private static boolean isPoison(Tally.Event event, String key) {
        return event.parts().stream().anyMatch(part -> part.key().equals(key) && part.poison());
    }

    private static JsonNode state(Cell cell, String name) {
        try {
            return cell.states().get(name) instanceof StoredState.Value value
                    ? Json.mapper().readTree(value.data())
                    : Json.mapper().createObjectNode();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> ids(Cell cell) {
        List<String> ids = new ArrayList<>();
        state(cell, "log").path("ids").forEach(id -> ids.add(id.asText()));
        return ids;
    }

    /** I7: each part that was not absorbed is a dead letter, once. */
    private void assertDeadLetters() {
        List<String> expected = new ArrayList<>();
        List<String> expectedUndecodable = new ArrayList<>();
        for (LaneFeed feed : feeds) {
            for (InputRecord record : feed.records) {
                String id = id(feed.lane, record.position());
                Tally.Event event = events.get(id);
                if (event == null) {
                    expectedUndecodable.add(id);
                } else {
                    keys(event).filter(key -> isPoison(event, key)).forEach(key -> expected.add(id + " " + key));
                }
            }
        }
        assertThat(store.deadLetters)
                .extracting(letter -> id(letter.lane(), letter.input().position()) + " " + letter.key())
                .as("I7: dead letters")
                .containsExactlyInAnyOrderElementsOf(expected);
        assertThat(undecodableDeadLetters).containsExactlyInAnyOrderElementsOf(expectedUndecodable);
    }

    private static Stream<String> keys(Tally.Event event) {
        return event.parts().stream().map(Tally.Part::key).distinct();
    }
}
