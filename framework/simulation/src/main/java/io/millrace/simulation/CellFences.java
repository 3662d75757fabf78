package io.millrace.simulation;

import io.millrace.internal.engine.CellItems;
import io.millrace.internal.engine.Position;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** The fence of an account's cell before and after a write. */
final class CellFences {
    private final SentRecords sent;
    private final String account;
    private final Map<String, Position> before;
    private final Map<String, Position> after;

    CellFences(
            SentRecords sent,
            String account,
            @Nullable Map<String, AttributeValue> before,
            Map<String, AttributeValue> after) {
        this.sent = sent;
        this.account = account;
        this.before = of(before);
        this.after = of(after);
    }

    private static Map<String, Position> of(@Nullable Map<String, AttributeValue> cell) {
        Map<String, Position> fence = new TreeMap<>();
        if (cell != null) {
            Objects.requireNonNull(cell.get(CellItems.FENCE))
                    .m()
                    .forEach((lane, position) ->
                            fence.put(lane, Position.decode(position.b().asByteArrayUnsafe())));
        }
        return fence;
    }

    /** How far the write raises the fence, for one lane alone. */
    FenceRise rise() {
        return FenceRise.of(sent, Rules.ABSORBED_ONCE, account, before, after);
    }

    /** Whether the write raises the fence at all. */
    boolean isRaised() {
        return !before.equals(after);
    }

    void requireSame() {
        if (!before.equals(after)) {
            throw new BrokenRule(
                    Rules.REDRIVEN_ONCE, account, "a redrive moves the fence of account " + account + ": " + this);
        }
    }

    @Override
    public String toString() {
        return sent.describe(before) + " becomes " + sent.describe(after);
    }
}
