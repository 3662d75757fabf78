package io.millrace.internal.engine;

import io.millrace.internal.item.ItemSize;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A record that was given up, with the reason. It commits with the cell that it would have gone to; one without a key
 * is put on its own.
 *
 * @param key the key whose part of the record was given up; null if none was computed
 * @param attempts how often it was tried
 * @param timer the timer that was given up; null if a record was
 */
public record DeadLetter(
        Lane lane,
        InputRecord input,
        @Nullable String key,
        RecordFailure.Kind kind,
        String error,
        int attempts,
        @Nullable Timer timer) {
    /** What stands for the shard in the dead letters of timers, which belong to none. */
    public static final String TIMERS = "timers";

    /** The most characters of an error that are kept. */
    static final int ERROR_LENGTH_MAX = 4_000;

    /** What a dead letter takes beside its payload, its key and its error: names, position, lane, times. */
    private static final int OVERHEAD_BYTES = 4 * 1024;

    /** The dead letter of a record. */
    public DeadLetter(
            Lane lane, InputRecord input, @Nullable String key, RecordFailure.Kind kind, String error, int attempts) {
        this(lane, input, key, kind, error, attempts, null);
    }

    /**
     * The dead letter of a timer: it stands under the lane {@value #TIMERS} of the stage's stream, its position is the
     * timer's time, and its payload the timer as text.
     */
    public static DeadLetter ofTimer(String stream, String key, Timer timer, String error, int attempts, Instant now) {
        Position position = Position.of(Long.toString(Math.max(0, timer.time())));
        byte[] payload = TimerItems.text(timer).getBytes(StandardCharsets.UTF_8);
        return new DeadLetter(
                new Lane(0, stream, TIMERS),
                new InputRecord(position, payload, now),
                key,
                RecordFailure.Kind.TIMER_THREW,
                storable(error.substring(0, Math.min(error.length(), ERROR_LENGTH_MAX))),
                attempts,
                timer);
    }

    /** The dead letter of a failed record. */
    public static DeadLetter of(
            Lane lane, InputRecord input, @Nullable String key, RecordFailure failure, int attempts) {
        Throwable cause = failure.getCause();
        String error = cause == null ? failure.kind().toString() : RecordFailure.describe(cause);
        return new DeadLetter(
                lane,
                input,
                key,
                failure.kind(),
                storable(error.substring(0, Math.min(error.length(), ERROR_LENGTH_MAX))),
                attempts);
    }

    /** A text with half surrogate pairs replaced: user data or the cut may hold some, and they cannot be stored. */
    private static String storable(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    /** The size of its item, never below the real one. */
    public int size() {
        return Math.min(
                ItemSize.ITEM_BYTES_MAX,
                input.payload().length
                        + (key == null ? 0 : ItemSize.utf8Length(key))
                        + ItemSize.utf8Length(error)
                        + OVERHEAD_BYTES);
    }
}
