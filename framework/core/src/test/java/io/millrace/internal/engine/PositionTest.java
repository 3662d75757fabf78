package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.MillraceException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PositionTest {
    private static final int[] DIGITS = {1, 2, 3, 19, 38, 55, 56, 128, 129};
    private static final int[] SUB_SEQUENCES = {0, 0, 1, 2, 127, 128, 255, 256, 65_535, 65_536, Integer.MAX_VALUE};
    private static final int PAIRS_TRIED = 20_000;

    private static Position position(String digits, int subSequence) {
        return new Position(new SequenceNumber(digits), subSequence);
    }

    private static Position randomPosition(Random random) {
        StringBuilder digits = new StringBuilder();
        for (int i = DIGITS[random.nextInt(DIGITS.length)]; i > 0; i--) {
            digits.append((char) ('0' + random.nextInt(10)));
        }
        return position(digits.toString(), SUB_SEQUENCES[random.nextInt(SUB_SEQUENCES.length)]);
    }

    /** Another position that is close to one, so that ties and carries are met. */
    private static Position neighbour(Position position, Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> new Position(position.sequenceNumber(), SUB_SEQUENCES[random.nextInt(SUB_SEQUENCES.length)]);
            case 1 ->
                position(
                        new java.math.BigInteger(position.sequenceNumber().digits())
                                .add(java.math.BigInteger.ONE)
                                .mod(java.math.BigInteger.TEN.pow(SequenceNumber.DIGITS_MAX))
                                .toString(),
                        position.subSequence());
            default -> randomPosition(random);
        };
    }

    @Test
    void orderIsBySequenceNumberThenBySubSequence() {
        assertThat(Position.of("9")).isLessThan(Position.of("10"));
        assertThat(position("9", 5)).isLessThan(Position.of("10")).isGreaterThan(position("9", 4));
        assertThat(position("9", 0)).isEqualByComparingTo(Position.of("9")).isEqualTo(Position.of("09"));
        assertThatThrownBy(() -> position("9", -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("subSequence is -1; 0 is the lowest");
    }

    @Test
    void bytesRoundTripAndAreOrderedAsThePositionsAre() {
        Random random = new Random(6);
        for (int i = 0; i < PAIRS_TRIED; i++) {
            Position one = randomPosition(random);
            Position other = neighbour(one, random);

            assertThat(Position.decode(one.encode())).isEqualTo(one);
            assertThat(Integer.signum(Arrays.compareUnsigned(one.encode(), other.encode())))
                    .as("%s and %s", one, other)
                    .isEqualTo(Integer.signum(one.compareTo(other)));
        }
    }

    @Test
    void bytesAreFew() {
        assertThat(Position.of("0").encode()).containsExactly(1, 0);
        assertThat(Position.of("255").encode()).containsExactly(1, 255);
        assertThat(position("256", 1).encode()).containsExactly(2, 1, 0, 1, 1);
        assertThat(position("9".repeat(56), 0).encode()).hasSizeLessThan(30);
    }

    @Test
    void textRoundTrips() {
        Random random = new Random(7);
        for (int i = 0; i < PAIRS_TRIED / 10; i++) {
            Position position = randomPosition(random);
            assertThat(Position.parse(position.toString())).isEqualTo(position);
        }
        assertThat(Position.of("12")).hasToString("12");
        assertThat(position("12", 3)).hasToString("12:3");
    }

    @Test
    void textThatIsNoPositionIsRefused() {
        assertThatThrownBy(() -> Position.parse(":5"))
                .isInstanceOf(MillraceException.class)
                .hasMessageStartingWith("'' is no sequence number");
        assertThatThrownBy(() -> Position.parse("5:")).isInstanceOf(NumberFormatException.class);
    }

    @Test
    void bytesThatAreNoPositionAreRefused() {
        byte[][] broken = {{}, {1}, {2, 1}, {-1, 1}, {1, 9, 1}, {1, 9, 2, 1}, {1, 9, 1, 1, 7}, {1, 9, 5, 1, 1, 1, 1, 1}
        };
        for (byte[] bytes : broken) {
            assertThatThrownBy(() -> Position.decode(bytes))
                    .as(Arrays.toString(bytes))
                    .isInstanceOf(MillraceException.class)
                    .hasMessageStartingWith("A stored position cannot be read: " + Arrays.toString(bytes));
        }
    }
}
