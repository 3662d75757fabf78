package io.millrace.internal.engine;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One value of a state while records run. It is decoded when first used, and encoded again if it was, since the object
 * may have been changed in place. All within one run, at one time.
 */
final class Slot<T> {
    private final ValueType<T> type;
    private final StoredState.@Nullable Value stored;
    private final boolean expired;
    private @Nullable T value;
    private long timeMillis;

    private Slot(
            ValueType<T> type,
            StoredState.@Nullable Value stored,
            @Nullable T value,
            long timeMillis,
            boolean expired) {
        this.type = type;
        this.stored = stored;
        this.value = value;
        this.timeMillis = timeMillis;
        this.expired = expired;
    }

    /** The slot of a stored value; null if it is expired and must not be seen. A value without a time is of now. */
    static <T> @Nullable Slot<T> ofStored(ValueType<T> type, StoredState.Value stored, long nowMillis) {
        TimeToLive timeToLive = type.timeToLive();
        if (timeToLive == null) {
            return new Slot<>(type, stored, null, StoredState.NO_TIME, false);
        }
        long time = stored.hasTime() ? stored.timeMillis() : nowMillis;
        boolean expired = timeToLive.isExpired(time, nowMillis);
        return expired && !timeToLive.expiredAreShown() ? null : new Slot<>(type, stored, null, time, expired);
    }

    /** The slot of a value that is written now. */
    static <T> Slot<T> ofWritten(ValueType<T> type, T value, long nowMillis) {
        return new Slot<>(type, null, value, type.timeOfWrite(nowMillis), false);
    }

    /** Whether it is seen only until its cell is written. */
    boolean isExpired() {
        return expired;
    }

    /** The value, which is read now. */
    T read(long nowMillis) {
        noteRead(nowMillis);
        if (value == null) {
            value = type.decode(Objects.requireNonNull(stored));
        }
        return value;
    }

    /** Notes that it is read now. */
    void noteRead(long nowMillis) {
        TimeToLive timeToLive = type.timeToLive();
        if (timeToLive != null && timeToLive.renewedByReading()) {
            timeMillis = nowMillis;
        }
    }

    /** What shall be stored of it; null if it is expired. */
    StoredState.@Nullable Value store() {
        if (expired) {
            return null;
        }
        return value == null ? Objects.requireNonNull(stored).at(timeMillis) : type.encode(value, timeMillis);
    }
}
