package io.millrace.internal.engine;

import org.jspecify.annotations.Nullable;

/**
 * A record that was given up, with the reason. It commits with the cell that it would have gone to; one without a key
 * is put on its own.
 *
 * @param key the key whose part of the record was given up; null if none was computed
 * @param attempts how often it was tried
 */
public record DeadLetter(
        Lane lane, InputRecord input, @Nullable String key, RecordFailure.Kind kind, String error, int attempts) {
    /** The most characters of an error that are kept. */
    static final int ERROR_LENGTH_MAX = 4_000;

    /** The dead letter of a failed record. */
    public static DeadLetter of(
            Lane lane, InputRecord input, @Nullable String key, RecordFailure failure, int attempts) {
        Throwable cause = failure.getCause();
        String error = cause == null ? failure.kind().toString() : cause.toString();
        return new DeadLetter(
                lane,
                input,
                key,
                failure.kind(),
                error.length() <= ERROR_LENGTH_MAX ? error : error.substring(0, ERROR_LENGTH_MAX),
                attempts);
    }
}
