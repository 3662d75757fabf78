package io.millrace.local;

import static io.millrace.local.EmbeddedKinesis.SHARD_0;
import static io.millrace.local.EmbeddedKinesis.shardId;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.kinesis.model.ChildShard;
import software.amazon.awssdk.services.kinesis.model.ExpiredIteratorException;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException;
import software.amazon.awssdk.services.kinesis.model.Shard;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

/** Shards from their first record to their disappearance, over days of a clock that the test moves. */
@ParameterizedClass(name = "short sequence numbers {0}")
@ValueSource(booleans = {false, true})
class ShardLifeTest {
    private static final Duration RETENTION = Duration.ofDays(1);
    private static final Duration INSTANT = Duration.ofMillis(1);

    @Parameter
    private boolean shortNumbers;

    private EmbeddedKinesis kinesis;

    @BeforeEach
    void createStream() {
        kinesis = new EmbeddedKinesis(11, shortNumbers, 2);
    }

    @AfterEach
    void close() {
        kinesis.close();
    }

    /** AWS answers from the oldest record that is not trimmed, too. */
    @Test
    void positionOfATrimmedRecordIsTheOldestThatIsLeft() {
        List<String> old = kinesis.put(SHARD_0, 3);
        kinesis.clock.advance(RETENTION.minusHours(1));
        List<String> kept = kinesis.put(SHARD_0, 2);
        kinesis.clock.advance(Duration.ofHours(2));
        for (String number : old) {
            assertThat(kinesis.numbersAt(SHARD_0, number)).isEqualTo(kept);
            assertThat(kinesis.numbersAfter(SHARD_0, number)).isEqualTo(kept);
        }
        assertThat(kinesis.numbersAfter(SHARD_0, kept.get(0))).containsExactly(kept.get(1));

        kinesis.clock.advance(Duration.ofDays(30));
        String next = kinesis.put(SHARD_0, "next");
        for (String number : List.of(old.get(0), old.get(2), kept.get(0), kept.get(1))) {
            assertThat(kinesis.numbersAt(SHARD_0, number)).containsExactly(next);
            assertThat(kinesis.numbersAfter(SHARD_0, number)).containsExactly(next);
        }
    }

    @Test
    void recordsTrimmedBetweenTwoReadsArePassedOver() {
        kinesis.put(SHARD_0, 3);
        kinesis.clock.advance(RETENTION.minusMinutes(1));
        String kept = kinesis.put(SHARD_0, "kept");
        String iterator = kinesis.iterator(SHARD_0, ShardIteratorType.TRIM_HORIZON);
        kinesis.clock.advance(Duration.ofMinutes(2));
        assertThat(kinesis.numbersFrom(iterator)).containsExactly(kept);
    }

    @Test
    void iteratorDoesNotOutliveAJumpOfTheClock() {
        String iterator = kinesis.iterator(SHARD_0, ShardIteratorType.TRIM_HORIZON);
        kinesis.clock.advance(Duration.ofDays(3));
        assertThatThrownBy(() -> kinesis.read(iterator)).isInstanceOf(ExpiredIteratorException.class);
    }

    @Test
    void splitShardEndsWithItsChildren() {
        List<String> numbers = kinesis.put(SHARD_0, 3);
        kinesis.split(SHARD_0);
        GetRecordsResponse read = kinesis.read(kinesis.iterator(SHARD_0, ShardIteratorType.TRIM_HORIZON));
        assertThat(read.records()).hasSize(3);
        assertThat(read.nextShardIterator()).isNull();
        assertThat(read.millisBehindLatest()).isZero();
        assertThat(read.childShards()).extracting(ChildShard::shardId).containsExactly(shardId(2), shardId(3));
        assertThat(read.childShards())
                .allSatisfy(child -> assertThat(child.parentShards()).containsExactly(SHARD_0));

        String lower = kinesis.put(shardId(2), "lower");
        String upper = kinesis.put(shardId(3), "upper");
        assertThat(kinesis.numbersFrom(kinesis.iterator(shardId(2), ShardIteratorType.TRIM_HORIZON)))
                .containsExactly(lower);
        assertThat(kinesis.numbersFrom(kinesis.iterator(shardId(3), ShardIteratorType.TRIM_HORIZON)))
                .containsExactly(upper);
        assertThat(kinesis.numbersAt(SHARD_0, numbers.get(2))).containsExactly(numbers.get(2));
    }

    @Test
    void readingShortOfTheEndOfAClosedShardGoesOn() {
        kinesis.put(SHARD_0, 3);
        kinesis.split(SHARD_0);
        String iterator = kinesis.iterator(SHARD_0, ShardIteratorType.TRIM_HORIZON);
        GetRecordsResponse first = kinesis.client.getRecords(
                request -> request.shardIterator(iterator).limit(2));
        assertThat(first.childShards()).isEmpty();
        GetRecordsResponse rest = kinesis.read(first.nextShardIterator());
        assertThat(rest.records()).hasSize(1);
        assertThat(rest.nextShardIterator()).isNull();
        assertThat(rest.childShards()).hasSize(2);
    }

    @Test
    void mergedShardsEndWithOneChild() {
        kinesis.put(SHARD_0, 1);
        kinesis.merge(shardId(1), SHARD_0);
        for (String parent : List.of(SHARD_0, shardId(1))) {
            GetRecordsResponse read = kinesis.read(kinesis.iterator(parent, ShardIteratorType.TRIM_HORIZON));
            assertThat(read.nextShardIterator()).isNull();
            assertThat(read.childShards()).extracting(ChildShard::shardId).containsExactly(shardId(2));
            assertThat(read.childShards().get(0).parentShards()).containsExactly(shardId(1), SHARD_0);
        }
        Shard child = kinesis.shard(shardId(2));
        assertThat(child.parentShardId()).isEqualTo(shardId(1));
        assertThat(child.adjacentParentShardId()).isEqualTo(SHARD_0);
        assertThat(child.sequenceNumberRange().endingSequenceNumber()).isNull();
    }

    @Test
    void parentIsListedUntilItsLastRecordsExpire() {
        kinesis.put(SHARD_0, 2);
        kinesis.clock.advance(Duration.ofHours(12));
        kinesis.split(SHARD_0);
        kinesis.clock.advance(RETENTION.minusHours(6));
        // All its records are trimmed by now, but it was open within the retention.
        assertThat(kinesis.shardIds()).containsExactly(SHARD_0, shardId(1), shardId(2), shardId(3));
        GetRecordsResponse read = kinesis.read(kinesis.iterator(SHARD_0, ShardIteratorType.TRIM_HORIZON));
        assertThat(read.records()).isEmpty();
        assertThat(read.nextShardIterator()).isNull();
        assertThat(read.childShards()).hasSize(2);

        kinesis.clock.advance(Duration.ofHours(6));
        assertThat(kinesis.shardIds()).contains(SHARD_0);
        kinesis.clock.advance(INSTANT);
        assertThat(kinesis.shardIds()).containsExactly(shardId(1), shardId(2), shardId(3));
        assertThat(kinesis.shard(shardId(2)).parentShardId()).isEqualTo(SHARD_0);
        assertThatThrownBy(() -> kinesis.iterator(SHARD_0, ShardIteratorType.TRIM_HORIZON))
                .isInstanceOf(ResourceNotFoundException.class);
    }

    @Test
    void generationsOfShardsGoWithTheClock() {
        String parent = SHARD_0;
        for (int generation = 0; generation < 3; generation++) {
            kinesis.put(parent, 2);
            kinesis.split(parent);
            parent = shardId(2 + 2 * generation);
            kinesis.clock.advance(Duration.ofHours(8));
        }
        assertThat(kinesis.shardIds()).hasSize(8);
        kinesis.clock.advance(INSTANT);
        assertThat(kinesis.shardIds()).doesNotContain(SHARD_0).hasSize(7);
        kinesis.clock.advance(Duration.ofDays(7));
        assertThat(kinesis.shardIds()).containsExactly(shardId(1), shardId(3), shardId(5), shardId(6), shardId(7));
        String last = kinesis.put(parent, "last");
        assertThat(kinesis.numbersFrom(kinesis.iterator(parent, ShardIteratorType.TRIM_HORIZON)))
                .containsExactly(last);
    }
}
