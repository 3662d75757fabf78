package io.millrace.state;

import java.util.regex.Pattern;

/**
 * The name and the types of a state. The name is part of what is stored: a state that is renamed is a new, empty one.
 * Immutable.
 */
public abstract sealed class StateDescriptor permits ValueStateDescriptor, MapStateDescriptor {
    private static final Pattern NAMES = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");

    private final String name;

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
}
