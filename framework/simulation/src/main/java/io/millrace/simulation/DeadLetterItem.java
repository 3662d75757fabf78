package io.millrace.simulation;

import io.millrace.internal.engine.Position;
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
record DeadLetterItem(SentRecord record, @Nullable String account, String kind, int attempts, List<SentRecord> gap) {
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
        SentRecord record = lane.at(Position.of(Audit.text(item, "sequence_number")));
        if (record == null) {
            throw new BrokenRule(
                    Rules.GIVEN_UP_RIGHTLY, lane.name(), "a dead letter names a record that was never sent: " + item);
        }
        AttributeValue key = item.get("key");
        return Optional.of(new DeadLetterItem(
                record,
                key == null ? null : key.s(),
                kind,
                Integer.parseInt(Objects.requireNonNull(item.get("attempts")).n()),
                List.of()));
    }

    private static DeadLetterItem ofGap(Map<String, AttributeValue> item, SentLane lane) {
        String after = Audit.text(item, "after");
        Position before = Position.parse(Audit.text(item, "before"));
        int from = after.equals("beginning") ? 0 : lane.indexOf(after) + 1;
        List<SentRecord> missing = lane.records().stream()
                .filter(record -> record.index() >= from && record.position().compareTo(before) < 0)
                .toList();
        return new DeadLetterItem(Objects.requireNonNull(lane.at(before)), null, GAP, 0, missing);
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
