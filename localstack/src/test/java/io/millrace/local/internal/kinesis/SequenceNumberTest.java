package io.millrace.local.internal.kinesis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SequenceNumberTest {
    private static final long CREATED = 1_769_860_800;

    @Test
    void has56Digits() {
        assertThat(new SequenceNumber(CREATED, 0, 0, CREATED).text())
                .hasSize(56)
                .startsWith("49");
        assertThat(new SequenceNumber(CREATED, 19_999, ShardNumbers.END_OF_SHARD, CREATED).text())
                .hasSize(56);
    }

    @Test
    void isReadAsItWasWritten() {
        SplittableRandom random = new SplittableRandom(5);
        for (int i = 0; i < 1_000; i++) {
            SequenceNumber number = new SequenceNumber(
                    CREATED + random.nextInt(1_000_000),
                    random.nextInt(Integer.MAX_VALUE),
                    random.nextLong(Long.MAX_VALUE),
                    CREATED + random.nextInt(1_000_000));
            assertThat(SequenceNumber.parse(number.text())).isEqualTo(number);
        }
    }

    @Test
    void increasesWithTheRecordWhateverTheClockSays() {
        SequenceNumber first = new SequenceNumber(CREATED, 3, 9, CREATED + 100);
        SequenceNumber second = new SequenceNumber(CREATED, 3, 10, CREATED + 50);
        assertThat(second.value()).isGreaterThan(first.value());
    }

    @Test
    void childIsAboveAllOfItsParent() {
        SequenceNumber end = new SequenceNumber(CREATED, 15, ShardNumbers.END_OF_SHARD, CREATED + 900);
        SequenceNumber child = new SequenceNumber(CREATED + 1, 16, 0, CREATED + 1);
        assertThat(child.value()).isGreaterThan(end.value());
    }

    /** The earlier record of one sibling can have the higher number. */
    @Test
    void siblingsAreNotComparable() {
        SequenceNumber earlier = new SequenceNumber(CREATED, 1, 1, CREATED);
        SequenceNumber later = new SequenceNumber(CREATED, 0, 2, CREATED + 3_600);
        assertThat(earlier.value()).isGreaterThan(later.value());
    }

    @Test
    void otherNumbersAreNone() {
        assertThat(SequenceNumber.parse("0")).isNull();
        assertThat(SequenceNumber.parse("9223372036854775807")).isNull();
        assertThat(SequenceNumber.parse("9".repeat(56))).isNull();
        assertThat(SequenceNumber.parse("9".repeat(129))).isNull();
    }
}
