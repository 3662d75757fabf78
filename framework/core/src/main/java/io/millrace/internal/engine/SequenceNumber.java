package io.millrace.internal.engine;

import io.millrace.MillraceException;

/**
 * A Kinesis sequence number: up to 129 decimal digits, ordered as a number. Never compared between lanes. Leading zeros
 * are dropped, so that equal numbers are equal.
 */
public record SequenceNumber(String digits) implements Comparable<SequenceNumber> {
    /** The most digits; source: Kinesis's API reference (the pattern of SequenceNumber). */
    static final int DIGITS_MAX = 129;

    public SequenceNumber {
        if (digits.isEmpty() || digits.length() > DIGITS_MAX || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new MillraceException(
                    "'" + digits + "' is no sequence number: 1 to " + DIGITS_MAX + " decimal digits are.");
        }
        int zeros = 0;
        while (zeros < digits.length() - 1 && digits.charAt(zeros) == '0') {
            zeros++;
        }
        digits = digits.substring(zeros);
    }

    @Override
    public int compareTo(SequenceNumber other) {
        int byLength = Integer.compare(digits.length(), other.digits.length());
        return byLength != 0 ? byLength : digits.compareTo(other.digits);
    }

    @Override
    public String toString() {
        return digits;
    }
}
