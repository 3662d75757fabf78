package io.millrace.simulation;

import io.millrace.local.KplAggregate;
import io.millrace.simulation.Posting.Entry;
import io.millrace.simulation.Posting.Mishap;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kinesis.model.PutRecordResponse;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.Shard;

/** The producers of the simulated streams, and who splits and merges their shards. */
final class Publisher {
    private static final int SHARDS_OPEN_MAX = 6;
    private static final int AGGREGATED_MAX = 5;
    private static final int LATE_WINDOWS_MAX = 4;
    /** How long after it is sent a posting is told of by the clock at most. */
    static final Duration DUE_WITHIN = Duration.ofMinutes(1);

    private static final int REPEATED_ONE_IN = 4;
    private static final Mishap[] MISHAPS = Mishap.values();
    private static final LatestChange[] LATEST_CHANGES = LatestChange.values();

    private final Scenario scenario;
    private final SentRecords sent;
    private final VirtualClock clock;
    private final History history;
    private final Exercised exercised;
    private final SplittableRandom random;
    private long eventTime = Posting.EARLY;
    private final List<Posting> sentBefore = new ArrayList<>();
    private int published;

    Publisher(
            Scenario scenario,
            SentRecords sent,
            VirtualClock clock,
            History history,
            Exercised exercised,
            SplittableRandom random) {
        this.scenario = scenario;
        this.sent = sent;
        this.clock = clock;
        this.history = history;
        this.exercised = exercised;
        this.random = random;
    }

    static List<String> streams(Scenario scenario) {
        return scenario.streams() == 1 ? List.of("postings") : List.of("postings", "postings-moved");
    }

    void createStreams() {
        for (String stream : streams(scenario)) {
            SimulatedAws.KINESIS.createStream(
                    request -> request.streamName(stream).shardCount(scenario.shards()));
            noteShards(stream);
        }
    }

    private void noteShards(String stream) {
        sent.shards()
                .note(
                        stream,
                        SimulatedAws.KINESIS
                                .listShards(request -> request.streamName(stream))
                                .shards());
    }

    int published() {
        return published;
    }

    /** Puts one record, or several in an aggregate. */
    void publish() {
        List<String> streams = streams(scenario);
        String stream = streams.get(random.nextInt(streams.size()));
        boolean aggregated = scenario.aggregates() && random.nextBoolean();
        int count = aggregated ? 1 + random.nextInt(AGGREGATED_MAX) : 1;
        List<@Nullable Posting> postings = new ArrayList<>();
        List<byte[]> payloads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean decodable = random.nextInt(100) >= scenario.mishapsIn100() / 4;
            Posting posting = decodable ? drawOrRepeat("p" + (published + i)) : null;
            postings.add(posting);
            payloads.add(
                    posting == null ? "no posting".getBytes(StandardCharsets.UTF_8) : Posting.SERDE.serialize(posting));
        }
        put(stream, postings, aggregated ? aggregate(payloads) : payloads.get(0));
    }

    private void put(String stream, List<@Nullable Posting> postings, byte[] payload) {
        String partitionKey = "k" + random.nextInt(1000);
        PutRecordResponse put = SimulatedAws.KINESIS.putRecord(
                request -> request.streamName(stream).partitionKey(partitionKey).data(SdkBytes.fromByteArray(payload)));
        SentLane lane = sent.lane(stream, put.shardId());
        Record record = Record.builder()
                .sequenceNumber(put.sequenceNumber())
                .partitionKey(partitionKey)
                .data(SdkBytes.fromByteArray(payload))
                .approximateArrivalTimestamp(clock.instant())
                .build();
        for (int i = 0; i < postings.size(); i++) {
            Posting posting = postings.get(i);
            SentRecord added =
                    new SentRecord(lane, lane.records().size(), posting, scenario.partsOf(posting), record, i);
            lane.records().add(added);
            published++;
            exercised.count(Exercised.Event.RECORDS);
            if (posting == null || posting.mishap() != Mishap.NONE) {
                exercised.count(Exercised.Event.MISHAPS);
            }
            history.trace(() -> "sent " + added + (posting == null ? "" : " " + posting));
        }
        if (postings.size() > 1) {
            exercised.count(Exercised.Event.AGGREGATES);
        }
    }

    private byte[] aggregate(List<byte[]> payloads) {
        KplAggregate aggregate = new KplAggregate();
        payloads.forEach(payload -> aggregate.add("k" + random.nextInt(1000), payload));
        return aggregate.toBytes();
    }

    /** A new posting, or one that a producer sends again since it knows nothing of the first time. */
    private Posting drawOrRepeat(String id) {
        if (scenario.deduplicates() && !sentBefore.isEmpty() && random.nextInt(REPEATED_ONE_IN) == 0) {
            return sentBefore.get(random.nextInt(sentBefore.size()));
        }
        Posting posting = draw(id);
        sentBefore.add(posting);
        return posting;
    }

    private Posting draw(String id) {
        int dice = random.nextInt(20);
        int count = dice == 0 ? 0 : dice < 14 ? 1 : 2 + random.nextInt(2);
        TreeSet<String> accounts = new TreeSet<>();
        for (int i = 0; i < count; i++) {
            accounts.add("a" + random.nextInt(scenario.accounts()));
        }
        List<Entry> entries = new ArrayList<>();
        accounts.forEach(account -> entries.add(new Entry(account, drawAmount(), drawLatest())));
        boolean goesWrong = !entries.isEmpty() && random.nextInt(100) < scenario.mishapsIn100();
        Mishap mishap = goesWrong ? MISHAPS[1 + random.nextInt(MISHAPS.length - 1)] : Mishap.NONE;
        int extraLines = random.nextInt(20) == 0 ? 30 + random.nextInt(30) : 0;
        return new Posting(id, entries, mishap, extraLines, drawEventTime(), drawDueTime());
    }

    /** Event times go on from record to record, wherever these are sent; some lie behind, a few far ahead. */
    private long drawEventTime() {
        StatementScenario times = scenario.statements();
        if (times == null) {
            return 0;
        }
        int sizeMillis = (int) times.size().toMillis();
        eventTime += random.nextInt(sizeMillis / 2);
        int dice = random.nextInt(100);
        if (dice < times.futureIn100()) {
            return Posting.FUTURE + random.nextInt(sizeMillis);
        } else if (dice < times.futureIn100() + times.lateIn100()) {
            return eventTime - times.outOfOrderness().toMillis() - random.nextInt(LATE_WINDOWS_MAX * sizeMillis);
        } else if (dice < times.futureIn100() + times.lateIn100() + times.disorderedIn100()) {
            return eventTime - random.nextInt((int) times.outOfOrderness().toMillis() + 1);
        }
        return eventTime;
    }

    private long drawDueTime() {
        return clock.millis() + (scenario.statements() == null ? 0 : random.nextInt((int) DUE_WITHIN.toMillis()));
    }

    private int drawAmount() {
        return scenario.balanced() && random.nextInt(4) > 0 ? 0 : random.nextInt(3) - 1;
    }

    /** Mostly deletes where most cells are tombstones, so that most rows are stubs. */
    private LatestChange drawLatest() {
        return scenario.balanced() && random.nextInt(4) > 0
                ? LatestChange.DELETE
                : LATEST_CHANGES[random.nextInt(LATEST_CHANGES.length)];
    }

    /** Splits or merges a shard of a stream. */
    void reshard() {
        List<String> streams = streams(scenario);
        String stream = streams.get(random.nextInt(streams.size()));
        List<Shard> open = SimulatedAws.KINESIS.listShards(request -> request.streamName(stream)).shards().stream()
                .filter(shard -> shard.sequenceNumberRange().endingSequenceNumber() == null)
                .toList();
        Shard shard = open.get(random.nextInt(open.size()));
        Shard neighbour = open.stream()
                .filter(other -> number(other.hashKeyRange().startingHashKey())
                        .equals(number(shard.hashKeyRange().endingHashKey()).add(BigInteger.ONE)))
                .findFirst()
                .orElse(null);
        if (neighbour != null && (random.nextBoolean() || open.size() >= SHARDS_OPEN_MAX)) {
            merge(stream, shard, neighbour);
        } else if (open.size() < SHARDS_OPEN_MAX) {
            split(stream, shard);
        }
    }

    private void merge(String stream, Shard shard, @Nullable Shard neighbour) {
        if (neighbour != null) {
            SimulatedAws.KINESIS.mergeShards(request ->
                    request.streamName(stream).shardToMerge(shard.shardId()).adjacentShardToMerge(neighbour.shardId()));
            noteReshard(stream, ": " + shard.shardId() + " and " + neighbour.shardId() + " are merged");
        }
    }

    private void split(String stream, Shard shard) {
        BigInteger from = number(shard.hashKeyRange().startingHashKey());
        BigInteger to = number(shard.hashKeyRange().endingHashKey());
        if (to.subtract(from).bitLength() < 2) {
            return;
        }
        SimulatedAws.KINESIS.splitShard(request -> request.streamName(stream)
                .shardToSplit(shard.shardId())
                .newStartingHashKey(from.add(to).shiftRight(1).toString()));
        noteReshard(stream, ": " + shard.shardId() + " is split");
    }

    private void noteReshard(String stream, String what) {
        exercised.count(Exercised.Event.RESHARDS);
        sent.noteReshard();
        noteShards(stream);
        history.trace(() -> stream + what);
    }

    private static BigInteger number(String digits) {
        return new BigInteger(digits);
    }
}
