package io.millrace.cli;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as people write them: {@code 2h}, {@code 1d12h}, {@code 90m}, {@code 500ms}, or in ISO 8601, {@code PT2H}. */
final class DurationText {
    private static final Pattern PART = Pattern.compile("([0-9]{1,9})(ms|d|h|m|s)");
    private static final Pattern PARTS = Pattern.compile("([0-9]{1,9}(ms|d|h|m|s))+");

    private DurationText() {}

    /**
     * Reads a duration that is not negative.
     *
     * @param option the option that it is given to, for the error
     * @throws CommandFailure if the text is none
     */
    static Duration parse(String option, String text) {
        Duration duration;
        try {
            duration = parse(text.toLowerCase(Locale.ROOT));
        } catch (DateTimeParseException | ArithmeticException notRead) {
            throw CommandFailure.usage(
                    option + " is '" + text + "'; a duration such as 2h, 1d12h, 90m, 30s, 500ms or PT2H is expected.",
                    notRead);
        }
        if (duration.isNegative()) {
            throw CommandFailure.usage(option + " is '" + text + "'; it must not be negative.");
        }
        return duration;
    }

    private static Duration parse(String text) {
        if (!PARTS.matcher(text).matches()) {
            return Duration.parse(text);
        }
        Duration sum = Duration.ZERO;
        Matcher parts = PART.matcher(text);
        while (parts.find()) {
            sum = sum.plus(part(Long.parseLong(parts.group(1)), parts.group(2)));
        }
        return sum;
    }

    private static Duration part(long amount, String unit) {
        return switch (unit) {
            case "d" -> Duration.ofDays(amount);
            case "h" -> Duration.ofHours(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "s" -> Duration.ofSeconds(amount);
            default -> Duration.ofMillis(amount);
        };
    }
}
