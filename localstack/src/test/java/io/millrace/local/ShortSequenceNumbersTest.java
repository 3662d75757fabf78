package io.millrace.local;

import static io.millrace.local.EmbeddedKinesis.SHARD_0;
import static io.millrace.local.EmbeddedKinesis.shardId;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.InvalidArgumentException;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

class ShortSequenceNumbersTest {
    private static final int SEEDS = 12;
    private static final int RECORDS = 60;

    @Test
    void numbersIncreaseByOneToNineAndGetMoreDigits() {
        Set<Integer> firstLengths = new TreeSet<>();
        for (int seed = 0; seed < SEEDS; seed++) {
            try (EmbeddedKinesis kinesis = shortNumbered(seed, 1)) {
                List<String> numbers = kinesis.put(SHARD_0, RECORDS);
                for (int i = 1; i < RECORDS; i++) {
                    assertThat(Long.parseLong(numbers.get(i)) - Long.parseLong(numbers.get(i - 1)))
                            .isBetween(1L, 9L);
                }
                int firstLength = numbers.get(0).length();
                firstLengths.add(firstLength);
                assertThat(numbers.get(RECORDS - 1).length()).isGreaterThan(firstLength);
                assertThat(kinesis.numbersFrom(kinesis.iterator(SHARD_0, ShardIteratorType.TRIM_HORIZON)))
                        .isEqualTo(numbers);
            }
        }
        assertThat(firstLengths).containsExactly(1, 2, 3);
    }

    @Test
    void readingBeginsAtOrAfterAnyNumber() {
        try (EmbeddedKinesis kinesis = shortNumbered(1, 1)) {
            List<String> numbers = kinesis.put(SHARD_0, RECORDS);
            for (int i = 0; i < RECORDS; i++) {
                assertThat(kinesis.numbersAt(SHARD_0, numbers.get(i))).isEqualTo(numbers.subList(i, RECORDS));
                assertThat(kinesis.numbersAfter(SHARD_0, numbers.get(i))).isEqualTo(numbers.subList(i + 1, RECORDS));
            }
            String start = kinesis.shard(SHARD_0).sequenceNumberRange().startingSequenceNumber();
            assertThat(Long.parseLong(start)).isLessThan(Long.parseLong(numbers.get(0)));
            assertThat(kinesis.numbersAt(SHARD_0, start)).isEqualTo(numbers);
            assertThat(kinesis.numbersAfter(SHARD_0, start)).isEqualTo(numbers);
        }
    }

    @Test
    void numbersThatWereNotGivenOutAreRefused() {
        try (EmbeddedKinesis kinesis = shortNumbered(1, 1)) {
            List<String> numbers = kinesis.put(SHARD_0, RECORDS);
            long first = Long.parseLong(numbers.get(0));
            long last = Long.parseLong(numbers.get(RECORDS - 1));
            for (long number = first; number < last; number++) {
                String text = Long.toString(number);
                if (!numbers.contains(text)) {
                    assertForeign(kinesis, text);
                }
            }
            for (long number = last + 1; number < last + 20; number++) {
                assertForeign(kinesis, Long.toString(number));
            }
            assertForeign(kinesis, "9".repeat(18));
            assertForeign(kinesis, "9".repeat(19));
            assertForeign(kinesis, "49590338271490256608559692538361571095921575989136588898");
        }
    }

    private static void assertForeign(EmbeddedKinesis kinesis, String number) {
        assertThatThrownBy(() -> kinesis.iterator(SHARD_0, ShardIteratorType.AT_SEQUENCE_NUMBER, number))
                .isInstanceOf(InvalidArgumentException.class)
                .hasMessageContaining("StartingSequenceNumber " + number + " used in GetShardIterator on shard "
                        + SHARD_0 + " in stream flights")
                .hasMessageContaining("it did not come from this stream");
    }

    @Test
    void numbersOfShardsOverlap() {
        Set<String> shared = new TreeSet<>();
        int childrenBelowTheirParent = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            try (EmbeddedKinesis kinesis = shortNumbered(seed, 2)) {
                List<String> ofShard0 = kinesis.put(SHARD_0, RECORDS);
                shared.addAll(kinesis.put(shardId(1), RECORDS));
                shared.retainAll(ofShard0);
                kinesis.merge(SHARD_0, shardId(1));
                String ofChild = kinesis.put(shardId(2), "after");
                childrenBelowTheirParent += Long.parseLong(ofChild) < Long.parseLong(ofShard0.get(RECORDS - 1)) ? 1 : 0;
            }
        }
        assertThat(shared).isNotEmpty();
        assertThat(childrenBelowTheirParent).isPositive();
    }

    @Test
    void closedShardEndsAboveItsRecords() {
        try (EmbeddedKinesis kinesis = shortNumbered(3, 1)) {
            List<String> numbers = kinesis.put(SHARD_0, RECORDS);
            kinesis.split(SHARD_0);
            String end = kinesis.shard(SHARD_0).sequenceNumberRange().endingSequenceNumber();
            assertThat(Long.parseLong(end)).isGreaterThan(Long.parseLong(numbers.get(RECORDS - 1)));
            for (ShardIteratorType type :
                    List.of(ShardIteratorType.AT_SEQUENCE_NUMBER, ShardIteratorType.AFTER_SEQUENCE_NUMBER)) {
                GetRecordsResponse read = kinesis.read(kinesis.iterator(SHARD_0, type, end));
                assertThat(read.records()).isEmpty();
                assertThat(read.nextShardIterator()).isNull();
                assertThat(read.childShards()).hasSize(2);
            }
            assertThat(kinesis.numbersAfter(SHARD_0, numbers.get(RECORDS - 1))).isEmpty();
        }
    }

    @Test
    void numberingGoesOnOverTrimmedRecords() {
        try (EmbeddedKinesis kinesis = shortNumbered(4, 1)) {
            List<String> numbers = kinesis.put(SHARD_0, RECORDS);
            kinesis.clock.advance(Duration.ofDays(9));
            assertThat(kinesis.numbersAt(SHARD_0, numbers.get(0))).isEmpty();
            String next = kinesis.put(SHARD_0, "next");
            assertThat(Long.parseLong(next) - Long.parseLong(numbers.get(RECORDS - 1)))
                    .isBetween(1L, 9L);
            assertThat(kinesis.numbersAfter(SHARD_0, numbers.get(RECORDS / 2))).containsExactly(next);
        }
    }

    @Test
    void seedDecidesTheNumbers() {
        try (EmbeddedKinesis kinesis = shortNumbered(5, 1);
                EmbeddedKinesis same = shortNumbered(5, 1);
                EmbeddedKinesis other = shortNumbered(6, 1)) {
            List<String> numbers = kinesis.put(SHARD_0, RECORDS);
            assertThat(same.put(SHARD_0, RECORDS)).isEqualTo(numbers);
            assertThat(other.put(SHARD_0, RECORDS)).isNotEqualTo(numbers);
        }
    }

    private static EmbeddedKinesis shortNumbered(long seed, int shardCount) {
        return new EmbeddedKinesis(seed, true, shardCount);
    }
}
