package io.millrace.local.internal.s3;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A part of an object's content.
 *
 * @param first the first byte, counted from 0
 * @param last the last byte
 */
record ByteRange(int first, int last) {
    private static final Pattern FORM = Pattern.compile("bytes=(\\d*)-(\\d*)");

    /**
     * The range that a header asks for; null for the whole object, which S3 gives without the header, for several ranges and
     * for what it cannot read. Refuses a range outside of the object with {@code InvalidRange}.
     */
    static @Nullable ByteRange of(@Nullable String header, int contentBytes) {
        Matcher form = FORM.matcher(header == null ? "" : header.strip());
        if (header == null || !form.matches()) {
            return null;
        }
        if (form.group(1).isEmpty()) {
            if (form.group(2).isEmpty()) {
                return null;
            }
            int suffix = bounded(form.group(2), contentBytes);
            if (suffix == 0) {
                throw S3Errors.invalidRange(header, contentBytes);
            }
            return new ByteRange(contentBytes - suffix, contentBytes - 1);
        }
        int first = bounded(form.group(1), contentBytes);
        int last = form.group(2).isEmpty() ? contentBytes - 1 : bounded(form.group(2), contentBytes - 1);
        if (!form.group(2).isEmpty() && new BigInteger(form.group(2)).compareTo(new BigInteger(form.group(1))) < 0) {
            return null;
        }
        if (first >= contentBytes) {
            throw S3Errors.invalidRange(header, contentBytes);
        }
        return new ByteRange(first, last);
    }

    byte[] of(byte[] content) {
        return Arrays.copyOfRange(content, first, last + 1);
    }

    /** The header of the answer. */
    String contentRange(int contentBytes) {
        return "bytes " + first + "-" + last + "/" + contentBytes;
    }

    private static int bounded(String number, int most) {
        return new BigInteger(number).min(BigInteger.valueOf(most)).intValue();
    }
}
