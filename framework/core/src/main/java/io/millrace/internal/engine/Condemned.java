package io.millrace.internal.engine;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The records, or parts of them, that become dead letters instead of being run. Not thread-safe. */
public final class Condemned {
    private record Part(Position position, @Nullable String key) {}

    private record Sentence(RecordFailure failure, int attempts) {}

    private final Map<Part, Sentence> parts = new HashMap<>();

    /** Condemns one key's part of a record, or all of it if the failure names no key. */
    public void add(RecordFailure failure, int attempts) {
        parts.put(new Part(failure.position(), failure.key()), new Sentence(failure, attempts));
    }

    /** The dead letter that a key's part of a record becomes, or null if it is not condemned. */
    @Nullable
    DeadLetter deadLetter(Lane lane, InputRecord input, String key) {
        Sentence sentence = parts.get(new Part(input.position(), key));
        if (sentence == null) {
            sentence = parts.get(new Part(input.position(), null));
        }
        return sentence == null ? null : DeadLetter.of(lane, input, key, sentence.failure(), sentence.attempts());
    }
}
