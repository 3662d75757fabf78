package io.millrace.local.internal.kinesis;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.List;
import org.junit.jupiter.api.Test;

class HashKeyRangeTest {
    @Test
    void hashKeyIsTheUnsignedMd5OfUtf8() {
        assertThat(HashKeyRange.hashKeyOf("é")).isEqualTo(new BigInteger("66ddcd97cfdeabb2f6fb8a999b4bc76f", 16));
        assertThat(HashKeyRange.hashKeyOf("b"))
                .isEqualTo(new BigInteger("92eb5ffee6ae2fec3ad71c777531578f", 16))
                .isPositive();
    }

    @Test
    void threeShardsHaveTheRangesThatAwsGivesThem() {
        assertThat(HashKeyRange.divide(3))
                .containsExactly(
                        range("0", "113427455640312821154458202477256070484"),
                        range("113427455640312821154458202477256070485", "226854911280625642308916404954512140969"),
                        range("226854911280625642308916404954512140970", "340282366920938463463374607431768211455"));
    }

    @Test
    void rangesOfAnyCountCoverAllHashKeysOnce() {
        for (int count : List.of(1, 2, 3, 7, 16, 1_000)) {
            List<HashKeyRange> ranges = HashKeyRange.divide(count);
            assertThat(ranges).hasSize(count);
            assertThat(ranges.get(0).start()).isZero();
            assertThat(ranges.get(count - 1).end()).isEqualTo(HashKeyRange.HASH_KEY_MAX);
            for (int i = 1; i < count; i++) {
                assertThat(ranges.get(i - 1).endsBefore(ranges.get(i))).isTrue();
            }
        }
    }

    @Test
    void splitLeavesMoreThanOneHashKeyBelowAndAbove() {
        HashKeyRange range = range("10", "20");
        assertThat(range.canSplitAt(BigInteger.valueOf(11))).isFalse();
        assertThat(range.canSplitAt(BigInteger.valueOf(12))).isTrue();
        assertThat(range.canSplitAt(BigInteger.valueOf(19))).isTrue();
        assertThat(range.canSplitAt(BigInteger.valueOf(20))).isFalse();
    }

    private static HashKeyRange range(String start, String end) {
        return new HashKeyRange(new BigInteger(start), new BigInteger(end));
    }
}
