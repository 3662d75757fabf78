package io.millrace.simulation;

import io.millrace.local.ItemChange;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The rows that a transaction of the ledger writes, by account. */
final class WrittenRows {
    private final Exercised exercised;
    private final Map<String, OfAccount> byAccount = new TreeMap<>();

    WrittenRows(Exercised exercised) {
        this.exercised = exercised;
    }

    /**
     * The rows of an account.
     *
     * @param lines by id
     * @param latest the content of the row of its latest posting; null if it is not written
     */
    record OfAccount(Map<String, Line> lines, @Nullable Content latest) {
        static final OfAccount NONE = new OfAccount(Map.of(), null);
    }

    /** What a row holds; null if it is deleted. */
    record Content(@Nullable Map<String, String> attributes) {}

    void add(ItemChange change) {
        Map<String, AttributeValue> row = change.after();
        if (row == null) {
            requireExpiredStub(change);
            return;
        }
        String account = Audit.text(row, "account");
        OfAccount before = byAccount.getOrDefault(account, OfAccount.NONE);
        if (change.table().equals(Latest.TABLE)) {
            Content content = new Content(RowContents.stored(account, row));
            if (content.attributes() == null) {
                exercised.count(Exercised.Event.STUBS);
            }
            byAccount.put(account, new OfAccount(before.lines(), content));
        } else {
            Line line = lineOf(row);
            Map<String, Line> lines = new TreeMap<>(before.lines());
            lines.put(line.id(), line);
            byAccount.put(account, new OfAccount(lines, before.latest()));
        }
    }

    private void requireExpiredStub(ItemChange change) {
        Map<String, AttributeValue> before = Objects.requireNonNull(change.before());
        String name = RowContents.nameOf(change.table(), before);
        if (!change.expired() || RowContents.stored(Audit.text(before, "account"), before) != null) {
            throw new BrokenRule(
                    Rules.STUBS, Audit.text(before, "account"), "the row " + name + " goes and is no expired stub");
        }
        exercised.count(Exercised.Event.EXPIRED_STUBS);
    }

    private static Line lineOf(Map<String, AttributeValue> row) {
        int balance =
                Integer.parseInt(Objects.requireNonNull(row.get("balance")).n());
        return new Line(Audit.text(row, "account"), Audit.text(row, "id"), Audit.text(row, "posting"), balance);
    }

    /** The rows that are written with an account's cell. */
    OfAccount take(String account) {
        return Objects.requireNonNullElse(byAccount.remove(account), OfAccount.NONE);
    }

    /** All cells have taken theirs. */
    void requireNoneLeft() {
        byAccount.forEach((account, rows) -> {
            throw new BrokenRule(
                    Rules.WITH_CELL,
                    account,
                    "the rows " + rows.lines().keySet() + (rows.latest() == null ? "" : " and the latest")
                            + " of account " + account + " are put without its cell");
        });
    }
}
