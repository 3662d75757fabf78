package io.millrace.simulation;

import io.millrace.internal.engine.Position;
import io.millrace.internal.item.Row;
import io.millrace.local.ItemChange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * Holds every write of a row of the stage without state to its rules: what its own fence says that it has absorbed is
 * what it holds. It keeps its own books of each row.
 */
final class RowAudit {
    private final SentRecords sent;
    private final History history;
    private final Exercised exercised;
    private final DeadLetterAudit deadLetters;
    private final Map<String, Books> rows = new TreeMap<>();

    RowAudit(SentRecords sent, History history, Exercised exercised, DeadLetterAudit deadLetters) {
        this.sent = sent;
        this.history = history;
        this.exercised = exercised;
        this.deadLetters = deadLetters;
    }

    /** What a row must hold, and the last record that it has absorbed of each lane, whether it remembers or not. */
    private static final class Books {
        private final Map<SentLane, SentRecord> absorbedTo = new HashMap<>();
        private @Nullable Map<String, String> content;
    }

    void onRow(ItemChange change, @Nullable Invocation writer) {
        Map<String, AttributeValue> after = change.after();
        if (after == null) {
            onRowGone(change);
            return;
        }
        String name = RowContents.nameOf(change.table(), after);
        Map<String, Position> before = fenceOf(change.before());
        Map<String, Position> fence = fenceOf(after);
        Map<String, String> content = RowContents.stored(name, after);
        exercised.count(Exercised.Event.FENCED_ROWS);
        if (content == null) {
            exercised.count(Exercised.Event.STUBS);
        }
        history.note(
                name,
                () -> "row " + name + " is now " + RowContents.words(content) + ", its fence " + sent.describe(fence)
                        + " instead of " + sent.describe(before) + ", its version " + Audit.text(after, Row.VERSION)
                        + " instead of " + versionOf(change.before()) + ", by " + writer);
        absorb(name, FenceRise.of(sent, Rules.ROW_ABSORBED_ONCE, name, before, fence), content, writer);
    }

    private void onRowGone(ItemChange change) {
        Map<String, AttributeValue> before = Objects.requireNonNull(change.before());
        String name = RowContents.nameOf(change.table(), before);
        history.note(name, () -> "row " + name + (change.expired() ? " expires" : " is deleted"));
        if (!change.expired() || RowContents.stored(name, before) != null) {
            throw new BrokenRule(
                    Rules.NEVER_BACK, name, "the row " + name + " goes and is no stub that expires, its fence with it");
        }
        exercised.count(Exercised.Event.EXPIRED_STUBS);
    }

    /**
     * What was written must be what the records up to the last one give. One that was given up is not among them, unless
     * the writer knows nothing of that: then those given up behind it are, too.
     */
    private void absorb(
            String name, FenceRise rise, @Nullable Map<String, String> content, @Nullable Invocation writer) {
        Books books = rows.computeIfAbsent(name, none -> new Books());
        SentRecord before = books.absorbedTo.get(rise.lane());
        if (before != null && before.index() >= rise.last().index()) {
            throw new BrokenRule(
                    Rules.ROW_ABSORBED_ONCE,
                    name,
                    "row " + name + " absorbs " + rise.lane() + " up to " + rise.last() + " again; it was at " + before
                            + " already");
        }
        List<SentRecord> records =
                rise
                        .lane()
                        .records()
                        .subList(
                                before == null ? 0 : before.index() + 1,
                                rise.last().index() + 1)
                        .stream()
                        .filter(record -> record.parts().contains(name) && !record.isInGap())
                        .toList();
        List<SentRecord> given =
                records.stream().filter(SentRecord::isDeadWithoutKey).toList();
        for (int passedOver = given.size(); passedOver >= 0; passedOver--) {
            List<SentRecord> absorbed = new ArrayList<>(records);
            absorbed.removeAll(given.subList(0, passedOver));
            if (absorbed.contains(rise.last()) && Objects.equals(content, after(books.content, name, absorbed))) {
                absorbed.forEach(record -> note(record, name, writer));
                books.content = content;
                books.absorbedTo.put(rise.lane(), rise.last());
                return;
            }
        }
        throw new BrokenRule(
                Rules.ROW_ABSORBED_ONCE,
                name,
                "row " + name + " is " + RowContents.words(content) + "; by what its fence covers it must be "
                        + RowContents.words(after(books.content, name, records)));
    }

    private void note(SentRecord record, String name, @Nullable Invocation writer) {
        if (record.isDeadWithoutKey()) {
            deadLetters.checkAbsorbed(record, name, writer);
        }
        record.absorbedBy(name, writer);
    }

    private static @Nullable Map<String, String> after(
            @Nullable Map<String, String> before, String name, List<SentRecord> records) {
        Map<String, String> content = before;
        for (SentRecord record : records) {
            content = RowContents.after(content, name, Objects.requireNonNull(record.posting()));
        }
        return content;
    }

    private static String versionOf(@Nullable Map<String, AttributeValue> row) {
        return row == null ? "none" : Audit.text(row, Row.VERSION);
    }

    private static Map<String, Position> fenceOf(@Nullable Map<String, AttributeValue> row) {
        Map<String, Position> fence = new TreeMap<>();
        if (row != null) {
            row.forEach((attribute, value) -> {
                if (attribute.startsWith(Row.FENCE_PREFIX)) {
                    fence.put(
                            attribute.substring(Row.FENCE_PREFIX.length()),
                            Position.decode(value.b().asByteArrayUnsafe()));
                }
            });
        }
        return fence;
    }
}
