package io.millrace;

import io.millrace.serde.Json;
import io.millrace.serde.Serde;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The types of accumulators, as far as the classes of functions tell. A bound of a type parameter tells nothing. */
final class AccumulatorTypes {
    private static final int ACCUMULATOR = 1;

    private AccumulatorTypes() {}

    /**
     * The accumulator of a function as JSON.
     *
     * @throws PipelineDefinitionException if its class does not tell it, or it has type arguments of its own
     */
    @SuppressWarnings("unchecked")
    static <ACC> Serde<ACC> serdeOf(AggregateFunction<?, ACC, ?> function) {
        Type accumulator = accumulatorOf(function.getClass());
        if (accumulator instanceof Class<?> known && known != Object.class && known.getTypeParameters().length == 0) {
            return (Serde<ACC>) Json.of(known);
        }
        throw PipelineDefinitionException.unknownAccumulator(function.getClass());
    }

    /** The accumulator as a class of functions has it: a class, or a parameter of that class; null if it is left open. */
    private static @Nullable Type accumulatorOf(Class<?> function) {
        List<Type> parents = new ArrayList<>(Arrays.asList(function.getGenericInterfaces()));
        if (function.getGenericSuperclass() != null) {
            parents.add(function.getGenericSuperclass());
        }
        for (Type parent : parents) {
            Class<?> raw = (Class<?>) (parent instanceof ParameterizedType given ? given.getRawType() : parent);
            if (raw == AggregateFunction.class) {
                return parent instanceof ParameterizedType given ? given.getActualTypeArguments()[ACCUMULATOR] : null;
            }
            if (AggregateFunction.class.isAssignableFrom(raw)) {
                return given(parent, raw, accumulatorOf(raw));
            }
        }
        return null;
    }

    /** What a parent's accumulator is where its parameters are given. */
    private static @Nullable Type given(Type parent, Class<?> raw, @Nullable Type accumulator) {
        if (!(accumulator instanceof TypeVariable<?>)) {
            return accumulator;
        }
        int index = Arrays.asList(raw.getTypeParameters()).indexOf(accumulator);
        return index >= 0 && parent instanceof ParameterizedType given ? given.getActualTypeArguments()[index] : null;
    }
}
