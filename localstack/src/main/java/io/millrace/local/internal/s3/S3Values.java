package io.millrace.local.internal.s3;

import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** How S3 writes times and entity tags, and orders keys. */
final class S3Values {
    /** The order of keys: that of their UTF-8 bytes, which is that of their code points, and not that of Java's text. */
    static final Comparator<String> KEY_ORDER = S3Values::compareCodePoints;

    private static final DateTimeFormatter HEADER_TIME = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter DOCUMENT_TIME = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private S3Values() {}

    /** The time in whole seconds, as S3 keeps it. */
    static Instant now(Clock clock) {
        return clock.instant().truncatedTo(ChronoUnit.SECONDS);
    }

    static String headerTime(Instant time) {
        return HEADER_TIME.format(time);
    }

    /** The time in a header, or null if it cannot be read, in which case S3 ignores it. */
    static @Nullable Instant parseHeaderTime(String text) {
        try {
            return HEADER_TIME.parse(text.strip(), Instant::from);
        } catch (DateTimeException e) {
            return null;
        }
    }

    static String documentTime(Instant time) {
        return DOCUMENT_TIME.format(time);
    }

    static String etag(byte[] md5) {
        return HexFormat.of().formatHex(md5);
    }

    static String quoted(String etag) {
        return '"' + etag + '"';
    }

    static String unquoted(String etag) {
        String stripped = etag.strip();
        return stripped.length() >= 2 && stripped.startsWith("\"") && stripped.endsWith("\"")
                ? stripped.substring(1, stripped.length() - 1)
                : stripped;
    }

    private static int compareCodePoints(String left, String right) {
        int shorter = Math.min(left.length(), right.length());
        for (int i = 0; i < shorter; i++) {
            if (left.charAt(i) != right.charAt(i)) {
                return Integer.compare(rank(left.charAt(i)), rank(right.charAt(i)));
            }
        }
        return Integer.compare(left.length(), right.length());
    }

    /** Surrogates stand for code points above all others. */
    private static int rank(char unit) {
        return Character.isSurrogate(unit) ? unit + Character.MAX_VALUE : unit;
    }
}
