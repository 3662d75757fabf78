package io.millrace.state;

import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name and the types of a state. The name is part of what is stored: a state that is renamed is a new, empty one. Not
 * thread-safe; what is registered is as the descriptor is at that moment.
 */
public abstract sealed class StateDescriptor
        permits ValueStateDescriptor,
                MapStateDescriptor,
                ListStateDescriptor,
                ReducingStateDescriptor,
                AggregatingStateDescriptor {
    private static final Pattern NAMES = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");

    private final String name;
    private @Nullable StateTtlConfig timeToLive;

    StateDescriptor(String name) {
        if (!NAMES.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "The state name '" + name
                            + "' is not allowed: 1 to 64 letters, digits, '_', '.' or '-' are, beginning with a letter or digit.");
        }
        this.name = name;
    }

    /** The state's name, unique in its stage. */
    public final String name() {
        return name;
    }

    /**
     * Lets the state expire: a value as a whole, a map and a list entry by entry. Call it before the state is registered.
     * Default: state never expires.
     */
    public final void enableTimeToLive(StateTtlConfig config) {
        timeToLive = config;
    }

    /** How the state expires; empty if it never does. */
    public final Optional<StateTtlConfig> timeToLive() {
        return Optional.ofNullable(timeToLive);
    }
}
