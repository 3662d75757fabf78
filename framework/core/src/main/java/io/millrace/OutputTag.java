package io.millrace;

import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/**
 * The name and the class of a side output: results of a stage beside its main ones, such as the late or the broken
 * ones. A function puts values out to it with {@link KeyedProcessFunction.Context#output}, and
 * {@link StageStream#getSideOutput} gives the stream of them. Tags are equal if their ids are. Immutable.
 *
 * <pre>{@code
 * static final OutputTag<Refusal> REFUSED = new OutputTag<>("refused", Refusal.class);
 * }</pre>
 *
 * @param <T> the values
 */
public final class OutputTag<T> {
    private final String id;
    private final Class<T> type;

    /**
     * A tag. It carries its class, since Java erases the type of an anonymous subclass, Flink's way, just where it would
     * be needed.
     *
     * @param id the name, unique in a stage
     * @param type the class of all values; for a primitive type its wrapper
     * @throws IllegalArgumentException if the id is blank
     */
    public OutputTag(String id, Class<T> type) {
        if (id.isBlank()) {
            throw new IllegalArgumentException("The id of an output tag is '" + id + "'. Give it a name.");
        }
        this.id = id;
        this.type = wrapped(type);
    }

    @SuppressWarnings("unchecked")
    private static <T> Class<T> wrapped(Class<T> type) {
        return (Class<T>) MethodType.methodType(type).wrap().returnType();
    }

    /** The name. */
    public String getId() {
        return id;
    }

    /** The class of all values. */
    public Class<T> getType() {
        return type;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof OutputTag<?> tag && id.equals(tag.id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }

    @Override
    public String toString() {
        return "OutputTag(" + id + ", " + type.getName() + ")";
    }
}
