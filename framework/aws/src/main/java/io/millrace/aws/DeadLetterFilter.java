package io.millrace.aws;

import java.util.Map;
import java.util.TreeMap;

/** Which dead letters are wanted. Immutable: each method gives a filter that is narrower by one thing. */
public final class DeadLetterFilter {
    private final Map<String, String> wanted;

    private DeadLetterFilter(Map<String, String> wanted) {
        this.wanted = Map.copyOf(wanted);
    }

    /** All dead letters of the current generation, closed ones included. */
    public static DeadLetterFilter all() {
        return new DeadLetterFilter(Map.of());
    }

    /** Those that are open. */
    public static DeadLetterFilter open() {
        return all().state(StoredDeadLetter.State.OPEN);
    }

    /** Those of these in a state. */
    public DeadLetterFilter state(StoredDeadLetter.State state) {
        return with("status", state.status());
    }

    /** Those of these of a stage. */
    public DeadLetterFilter stage(String uid) {
        return with("stage", uid);
    }

    /** Those of these of a kind. */
    public DeadLetterFilter kind(StoredDeadLetter.Kind kind) {
        return with("kind", kind.name());
    }

    private DeadLetterFilter with(String attribute, String value) {
        Map<String, String> narrower = new TreeMap<>(wanted);
        narrower.put(attribute, value);
        return new DeadLetterFilter(narrower);
    }

    Map<String, String> wanted() {
        return wanted;
    }

    @Override
    public String toString() {
        return new TreeMap<>(wanted).toString();
    }
}
