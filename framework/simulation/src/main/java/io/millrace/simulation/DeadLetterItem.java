package io.millrace.simulation;

import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.SequenceNumber;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * A dead letter as it is stored.
 *
 * @param account the key of the part that was given up; null for a whole record
 * @param gap the records of a gap that an operator has accepted; empty for any other letter
 */
record DeadLetterItem(
        SentRecord record, @Nullable String account, String kind, String status, int attempts, List<SentRecord> gap) {
    static final String OPEN = "open";
    private static final String GAP = "GAP";

    /** The dead letter of an item; none for a part of a large payload. */
    static Optional<DeadLetterItem> of(Map<String, AttributeValue> item, SentRecords sent) {
        if (Audit.text(item, "status").equals("part")) {
            return Optional.empty();
        }
        String kind = Audit.text(item, "kind");
        SentLane lane = sent.lane(Audit.text(item, "lane"));
        if (lane == null) {
            throw new BrokenRule(Rules.GIVEN_UP_RIGHTLY, "", "a dead letter names the unknown lane of " + item);
        }
        if (kind.equals(GAP)) {
            return Optional.of(ofGap(item, lane));
        }
        SentRecord record = lane.at(
                new Position(new SequenceNumber(Audit.text(item, "sequence_number")), number(item, "sub_sequence")));
        if (record == null) {
            throw new BrokenRule(
                    Rules.GIVEN_UP_RIGHTLY, lane.name(), "a dead letter names a record that was never sent: " + item);
        }
        AttributeValue key = item.get("key");
        return Optional.of(new DeadLetterItem(
                record,
                key == null ? null : key.s(),
                kind,
                Audit.text(item, "status"),
                number(item, "attempts"),
                List.of()));
    }

    private static DeadLetterItem ofGap(Map<String, AttributeValue> item, SentLane lane) {
        String after = Audit.text(item, "after");
        boolean isToTheEnd = Audit.text(item, "before").equals("END");
        SentRecord behind = isToTheEnd
                ? lane.records().get(lane.records().size() - 1)
                : lane.at(Position.parse(Audit.text(item, "before")));
        Position before = Objects.requireNonNull(behind).position();
        Position from = after.equals("beginning") ? null : Position.parse(after);
        List<SentRecord> missing = lane.records().stream()
                .filter(record -> from == null || record.position().compareTo(from) > 0)
                .filter(record -> isToTheEnd || record.position().compareTo(before) < 0)
                .toList();
        return new DeadLetterItem(behind, null, GAP, Audit.text(item, "status"), 0, missing);
    }

    private static int number(Map<String, AttributeValue> item, String name) {
        return Integer.parseInt(Objects.requireNonNull(item.get(name), name).n());
    }

    boolean isOpen() {
        return status.equals(OPEN);
    }

    /** The part of a record that is given up under an account; all parts if no account is named. */
    boolean isOf(String itsAccount) {
        return account == null ? record.parts().contains(itsAccount) : account.equals(itsAccount);
    }

    boolean isGap() {
        return kind.equals(GAP);
    }

    @Override
    public String toString() {
        return isGap()
                ? "dead letter of the gap before " + record + ": " + gap
                : "dead letter " + kind + " of " + record + (account == null ? "" : " for account " + account)
                        + " after " + attempts + " attempts";
    }
}
