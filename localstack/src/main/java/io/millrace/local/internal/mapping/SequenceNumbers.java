package io.millrace.local.internal.mapping;

import java.util.Comparator;

/** The order of Kinesis sequence numbers: decimal strings of up to 129 digits, compared as numbers. */
public final class SequenceNumbers {
    /** Shorter is lower, since there are no leading zeros; equally long ones compare digit by digit. */
    public static final Comparator<String> ORDER =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    private SequenceNumbers() {}
}
