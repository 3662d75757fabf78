package io.millrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorPolicyTest {
    @Test
    void failNeverGivesUp() {
        ErrorPolicy policy = ErrorPolicy.fail();

        assertThat(policy.deadLetters()).isFalse();
        assertThat(policy.exhausted(ErrorPolicy.ATTEMPTS_MAX)).isFalse();
        assertThat(policy.exhausted(Integer.MAX_VALUE)).isFalse();
        assertThat(policy).hasToString("fail");
    }

    @Test
    void deadLetterGivesUpAtTheFirstAttempt() {
        ErrorPolicy policy = ErrorPolicy.deadLetter();

        assertThat(policy.deadLetters()).isTrue();
        assertThat(policy.exhausted(0)).isFalse();
        assertThat(policy.exhausted(1)).isTrue();
        assertThat(policy).isEqualTo(ErrorPolicy.retryThenDeadLetter(1)).hasToString("dead letter after 1 attempt");
    }

    @Test
    void retryGivesUpAtTheAttemptThatIsNamed() {
        ErrorPolicy policy = ErrorPolicy.retryThenDeadLetter(3);

        assertThat(policy.exhausted(2)).isFalse();
        assertThat(policy.exhausted(3)).isTrue();
        assertThat(policy.exhausted(4)).isTrue();
        assertThat(policy).hasToString("dead letter after 3 attempts");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, ErrorPolicy.ATTEMPTS_MAX})
    void attemptsWithinTheBoundsAreTaken(int attempts) {
        assertThat(ErrorPolicy.retryThenDeadLetter(attempts).exhausted(attempts))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -1, 0, ErrorPolicy.ATTEMPTS_MAX + 1})
    void attemptsOutsideTheBoundsAreRefused(int attempts) {
        assertThatThrownBy(() -> ErrorPolicy.retryThenDeadLetter(attempts))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("attempts is " + attempts + "; 1 to 1000 are allowed");
    }

    @Test
    void policiesAreEqualByTheirAttempts() {
        assertThat(ErrorPolicy.retryThenDeadLetter(7))
                .isEqualTo(ErrorPolicy.retryThenDeadLetter(7))
                .hasSameHashCodeAs(ErrorPolicy.retryThenDeadLetter(7))
                .isNotEqualTo(ErrorPolicy.retryThenDeadLetter(8))
                .isNotEqualTo(ErrorPolicy.fail());
    }
}
