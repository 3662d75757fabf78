package io.millrace.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.aws.StoredDeadLetter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Dead letters in words: as rows of a table, as JSON, and one with its payload. */
final class DeadLetterText {
    /** The most characters of a payload that are printed. */
    static final int PAYLOAD_CHARACTERS_MAX = 4_000;

    private static final int KEY_CHARACTERS = 16;
    private static final int ERROR_CHARACTERS = 60;

    private DeadLetterText() {}

    /** The head of the table. */
    static String head() {
        return row("STATE", "KIND", "ATTEMPTS", "GIVEN UP", "KEY", "ERROR", "ID");
    }

    /** A dead letter as a row of the table, whose columns have a fixed width, since it is printed as it is read. */
    static String row(StoredDeadLetter letter) {
        return row(
                letter.state().name().toLowerCase(Locale.ROOT),
                letter.kind().name(),
                Integer.toString(letter.attempts()),
                letter.time().truncatedTo(ChronoUnit.SECONDS).toString(),
                cut(letter.key() == null ? "-" : printable(letter.key()), KEY_CHARACTERS),
                cut(withoutPackage(printable(letter.error())), ERROR_CHARACTERS),
                letter.id());
    }

    private static String row(
            String state, String kind, String attempts, String time, String key, String error, String id) {
        return String.format(
                Locale.ROOT, "%-7s  %-14s  %8s  %-20s  %-16s  %-60s  %s", state, kind, attempts, time, key, error, id);
    }

    /** A dead letter as a JSON object. */
    static ObjectNode json(StoredDeadLetter letter) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", letter.id());
        json.put("state", letter.state().name().toLowerCase(Locale.ROOT));
        json.put("kind", letter.kind().name());
        json.put("stage", letter.stage());
        json.put("lane", letter.lane());
        json.put("position", letter.position());
        if (letter.gapAfter() != null) {
            json.put("after", letter.gapAfter());
        }
        if (letter.key() != null) {
            json.put("key", letter.key());
        }
        json.put("attempts", letter.attempts());
        json.put("error", letter.error());
        put(json, "arrival", letter.arrival());
        put(json, "time", letter.time());
        put(json, "last_tried", letter.lastTried());
        put(json, "closed", letter.closed());
        return json;
    }

    private static void put(ObjectNode json, String name, @Nullable Instant time) {
        if (time != null) {
            json.put(name, time.toString());
        }
    }

    /** A dead letter with all that is known of it, a line each. */
    static List<String> lines(StoredDeadLetter letter, byte[] payload) {
        List<String> lines = new ArrayList<>();
        lines.add(letter.id());
        lines.add(fact("state", letter.state().name().toLowerCase(Locale.ROOT)));
        lines.add(fact("kind", letter.kind().name()));
        lines.add(fact("stage", letter.stage()));
        lines.add(fact("lane", letter.lane()));
        lines.add(fact("position", letter.position()));
        if (letter.gapAfter() != null) {
            lines.add(fact("missing after", letter.gapAfter()));
        } else {
            lines.add(fact("key", letter.key() == null ? "none: all parts of the record" : printable(letter.key())));
        }
        lines.add(fact("attempts", Integer.toString(letter.attempts())));
        lines.add(fact("arrived", Objects.toString(letter.arrival(), "never")));
        lines.add(fact("given up", letter.time().toString()));
        if (letter.lastTried() != null) {
            lines.add(fact("last tried", letter.lastTried().toString()));
        }
        if (letter.closed() != null) {
            lines.add(fact("closed", letter.closed().toString()));
        }
        lines.add(fact("error", printable(letter.error())));
        if (letter.gapAfter() == null) {
            lines.add(fact("payload", payload.length + " bytes"));
            lines.add(payloadText(payload));
        }
        return lines;
    }

    private static String fact(String name, String value) {
        return String.format(Locale.ROOT, "  %-14s %s", name, value);
    }

    /** A payload as text if it is text, else in base64; both only to a limit. */
    private static String payloadText(byte[] payload) {
        String text;
        try {
            text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(payload))
                    .toString();
        } catch (CharacterCodingException e) {
            text = "base64: " + Base64.getEncoder().encodeToString(payload);
        }
        String shown = printable(text.strip());
        return shown.length() <= PAYLOAD_CHARACTERS_MAX
                ? shown
                : shown.substring(0, PAYLOAD_CHARACTERS_MAX) + "... (--payload FILE writes all of it)";
    }

    /** A text of others without what a terminal would obey: control characters are blanks. */
    static String printable(String text) {
        StringBuilder printable = new StringBuilder(text.length());
        text.codePoints()
                .map(point ->
                        Character.isISOControl(point) || Character.getType(point) == Character.FORMAT ? ' ' : point)
                .forEach(printable::appendCodePoint);
        return printable.toString();
    }

    /** An error without the package of its class, which would take the width of a column. */
    private static String withoutPackage(String error) {
        return error.replaceFirst("^(?:[a-z][a-z0-9_]*\\.)+(?=[A-Z])", "");
    }

    /** A text that is cut if it is longer. */
    static String cut(String text, int length) {
        return text.codePointCount(0, text.length()) <= length
                ? text
                : text.substring(0, text.offsetByCodePoints(0, length - 3)) + "...";
    }
}
