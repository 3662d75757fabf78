package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.MillraceException;
import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SequenceNumberTest {
    private static final String REAL = "49590338271490256608559692538361571095921575989136588898";

    private static SequenceNumber number(String digits) {
        return new SequenceNumber(digits);
    }

    @Test
    void fieldCase5NumbersAreOrderedAsNumbers() {
        assertThat(number("9")).isLessThan(number("10"));
        assertThat(REAL).hasSize(56);
        assertThat(number(REAL)).isGreaterThan(number("9223372036854775807")).isGreaterThan(number("10"));
        assertThat(number("9223372036854775807")).isGreaterThan(number("9223372036854775806"));
    }

    @Test
    void has129DigitsAtMost() {
        String longest = "9".repeat(129);

        assertThat(number(longest).digits()).isEqualTo(longest);
        assertThat(number(longest)).isGreaterThan(number("9".repeat(128)));
        assertThatThrownBy(() -> number("9".repeat(130)))
                .isInstanceOf(MillraceException.class)
                .hasMessage("'" + "9".repeat(130) + "' is no sequence number: 1 to 129 decimal digits are.");
        assertThatThrownBy(() -> number("0".repeat(130))).isInstanceOf(MillraceException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "-1", "+1", "1.0", "1e3", "0x1", "\u0661", "LATEST", "1 ", "1:", "1/"})
    void whatIsNoNumberIsRefused(String text) {
        assertThatThrownBy(() -> number(text))
                .isInstanceOf(MillraceException.class)
                .hasMessageStartingWith("'" + text + "' is no sequence number");
    }

    @Test
    void leadingZerosDoNotCount() {
        assertThat(number("0009")).isEqualTo(number("9")).hasSameHashCodeAs(number("9"));
        assertThat(number("000")).isEqualTo(number("0")).hasToString("0");
        assertThat(number("0010")).isGreaterThan(number("9"));
    }

    @Test
    void orderIsThatOfNumbersForRandomPairs() {
        Random random = new Random(5);
        for (int i = 0; i < 5_000; i++) {
            BigInteger one = new BigInteger(random.nextInt(200), random);
            BigInteger other =
                    random.nextInt(4) == 0 ? one.add(BigInteger.ONE) : new BigInteger(random.nextInt(200), random);

            assertThat(Integer.signum(number(one.toString()).compareTo(number(other.toString()))))
                    .isEqualTo(one.compareTo(other));
        }
    }
}
