package io.millrace.simulation;

import io.millrace.internal.engine.Position;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What a write makes of a fence: it raises the entry of one lane, up to one of its records. */
record FenceRise(SentLane lane, SentRecord last) {

    /**
     * The rise between two fences.
     *
     * @param rule the rule that a fence that rises otherwise breaks
     * @param part the account or row that has the fence
     * @throws BrokenRule if anything but one entry changes, or it does not come to a record of this part
     */
    static FenceRise of(
            SentRecords sent, String rule, String part, Map<String, Position> before, Map<String, Position> after) {
        String raised = raised(sent, rule, part, before, after);
        SentLane lane = sent.laneOfFence(raised);
        Position to = Objects.requireNonNull(after.get(raised));
        SentRecord last = lane == null ? null : lane.at(to);
        if (lane == null || last == null || !last.parts().contains(part)) {
            throw new BrokenRule(
                    rule,
                    part,
                    "the fence of " + part + " is raised to " + (last == null ? raised + "@" + to : last)
                            + ", which is no record of it");
        }
        return new FenceRise(lane, last);
    }

    private static String raised(
            SentRecords sent, String rule, String part, Map<String, Position> before, Map<String, Position> after) {
        before.forEach((lane, position) -> {
            Position now = after.get(lane);
            if (now == null || now.compareTo(position) < 0) {
                throw new BrokenRule(
                        Rules.NEVER_BACK,
                        part,
                        "the fence of " + part + " goes back from " + sent.describe(before) + " to "
                                + sent.describe(after));
            }
        });
        List<String> raised = after.entrySet().stream()
                .filter(entry -> !entry.getValue().equals(before.get(entry.getKey())))
                .map(Map.Entry::getKey)
                .toList();
        if (raised.size() != 1) {
            throw new BrokenRule(
                    rule,
                    part,
                    "a write of " + part + " must raise its fence for one lane; it raises it for " + raised.size()
                            + ": " + sent.describe(before) + " becomes " + sent.describe(after));
        }
        return raised.get(0);
    }
}
