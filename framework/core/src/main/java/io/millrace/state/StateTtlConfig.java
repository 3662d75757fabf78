package io.millrace.state;

import java.time.Duration;

/**
 * When state expires: a time to live, counted from each value's last write or, if so wished, its last read. Immutable.
 *
 * <p>The time is processing time: the clock of the function, read once for each run over a batch, so that all records of
 * a run see the same time. A value is expired from the moment on at which its time to live has passed, to the
 * millisecond. Expired values are dropped from their cell when it is next written; a cell of which all state is expired is
 * deleted by DynamoDB's time to live, days later. A run that is repeated after a crash or a conflict reads the clock
 * again.
 *
 * <p>An object that was taken out and changed in place is stored as changed, but only {@code update}, {@code put} and
 * {@code add} count as a write.
 */
public final class StateTtlConfig {
    /** The longest time to live. */
    public static final Duration TIME_TO_LIVE_MAX = Duration.ofDays(36_500);

    /** What lets a time to live begin anew. */
    public enum UpdateType {
        /** Each write of the value. */
        OnCreateAndWrite,
        /** Each write of the value, and each read. */
        OnReadAndWrite
    }

    /** Whether an expired value can still be seen. */
    public enum StateVisibility {
        /** Never. */
        NeverReturnExpired,
        /**
         * Until its cell is next written: for the rest of the unit, that is until the records which commit together have
         * run. How many they are depends on how records are delivered.
         */
        ReturnExpiredIfNotCleanedUp
    }

    private final Duration timeToLive;
    private final UpdateType updateType;
    private final StateVisibility stateVisibility;

    private StateTtlConfig(Builder builder) {
        this.timeToLive = builder.timeToLive;
        this.updateType = builder.updateType;
        this.stateVisibility = builder.stateVisibility;
    }

    /**
     * A builder of a time to live that begins anew with each write, and of values that are never seen when expired.
     *
     * @param timeToLive 1 millisecond to {@link #TIME_TO_LIVE_MAX}; parts of a millisecond do not count
     * @throws IllegalArgumentException outside these bounds
     */
    public static Builder newBuilder(Duration timeToLive) {
        if (timeToLive.compareTo(Duration.ofMillis(1)) < 0 || timeToLive.compareTo(TIME_TO_LIVE_MAX) > 0) {
            throw new IllegalArgumentException("The time to live is " + timeToLive + "; PT0.001S to " + TIME_TO_LIVE_MAX
                    + " are allowed. Leave it out for state that never expires.");
        }
        return new Builder(timeToLive);
    }

    /** How long a value lives. */
    public Duration getTimeToLive() {
        return timeToLive;
    }

    /** What lets a time to live begin anew. */
    public UpdateType getUpdateType() {
        return updateType;
    }

    /** Whether an expired value can still be seen. */
    public StateVisibility getStateVisibility() {
        return stateVisibility;
    }

    @Override
    public String toString() {
        return timeToLive + " " + updateType + " " + stateVisibility;
    }

    /** Builds a {@link StateTtlConfig}. Not thread-safe. */
    public static final class Builder {
        private final Duration timeToLive;
        private UpdateType updateType = UpdateType.OnCreateAndWrite;
        private StateVisibility stateVisibility = StateVisibility.NeverReturnExpired;

        private Builder(Duration timeToLive) {
            this.timeToLive = timeToLive;
        }

        /** What lets a time to live begin anew. Default: {@link UpdateType#OnCreateAndWrite}. */
        public Builder setUpdateType(UpdateType newUpdateType) {
            updateType = newUpdateType;
            return this;
        }

        /** Each write. The default. */
        public Builder updateTtlOnCreateAndWrite() {
            return setUpdateType(UpdateType.OnCreateAndWrite);
        }

        /** Each write and each read. */
        public Builder updateTtlOnReadAndWrite() {
            return setUpdateType(UpdateType.OnReadAndWrite);
        }

        /** Whether an expired value can still be seen. Default: {@link StateVisibility#NeverReturnExpired}. */
        public Builder setStateVisibility(StateVisibility newStateVisibility) {
            stateVisibility = newStateVisibility;
            return this;
        }

        /** Expired values are never seen. The default. */
        public Builder neverReturnExpired() {
            return setStateVisibility(StateVisibility.NeverReturnExpired);
        }

        /** Expired values are seen until their cell is next written. */
        public Builder returnExpiredIfNotCleanedUp() {
            return setStateVisibility(StateVisibility.ReturnExpiredIfNotCleanedUp);
        }

        /** Builds it. */
        public StateTtlConfig build() {
            return new StateTtlConfig(this);
        }
    }
}
