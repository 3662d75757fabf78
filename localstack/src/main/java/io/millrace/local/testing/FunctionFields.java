package io.millrace.local.testing;

import io.millrace.RuntimeContext;
import io.millrace.internal.plan.KeyedStagePlan;
import io.millrace.internal.plan.OutputPlan;
import io.millrace.internal.plan.StagePlan;
import io.millrace.internal.plan.Step;
import io.millrace.serde.KeyCodec;
import io.millrace.serde.Serde;
import io.millrace.sink.Sink;
import io.millrace.state.State;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The fields in which the functions of stages could keep something beside state: those of the functions and of the
 * user's objects that they hold, static ones included. What a field holds is compared as text, which finds most changes,
 * and is only ever used to explain a difference. Not thread-safe.
 */
final class FunctionFields {
    /** How many objects are looked into; what lies beyond them is not seen. */
    private static final int OBJECTS_MAX = 1_000;

    /** How deep objects lie from a function. */
    private static final int DEPTH_MAX = 4;

    private static final List<String> NOT_OF_USERS =
            List.of("java.", "javax.", "jdk.", "sun.", "io.millrace.internal.");

    private final List<Object> functions = new ArrayList<>();
    private Map<String, String> before = Map.of();

    /** Notes what the fields of a stage's functions hold now. */
    void watch(StagePlan stage) {
        if (stage instanceof KeyedStagePlan keyed) {
            functions.add(keyed.function());
            functions.add(keyed.keySelector());
        }
        stage.steps().stream().map(Step::function).forEach(functions::add);
        for (OutputPlan output : stage.outputs()) {
            output.steps().stream().map(Step::function).forEach(functions::add);
        }
        before = read();
    }

    /** The fields that hold something else than when they were noted, such as {@code counter of com.example.Counting}. */
    Set<String> changed() {
        Map<String, String> now = read();
        Set<String> changed = new TreeSet<>();
        now.forEach((field, value) -> {
            if (!Objects.equals(before.get(field), value)) {
                changed.add(field.substring(field.indexOf(' ') + 1));
            }
        });
        return changed;
    }

    private Map<String, String> read() {
        Map<String, String> values = new LinkedHashMap<>();
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        functions.forEach(function -> read(function, 0, seen, values));
        return values;
    }

    /** Objects are numbered in the order in which they are found, so that each is known again. */
    private void read(Object holder, int depth, Set<Object> seen, Map<String, String> values) {
        if (depth > DEPTH_MAX || seen.size() >= OBJECTS_MAX || !seen.add(holder)) {
            return;
        }
        int number = seen.size();
        for (Class<?> type = holder.getClass(); type != null && isOfUser(type); type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (isConstant(field)) {
                    continue;
                }
                read(number, holder, field, depth, seen, values);
            }
        }
    }

    private void read(int number, Object holder, Field field, int depth, Set<Object> seen, Map<String, String> values) {
        Object value;
        try {
            if (!field.trySetAccessible()) {
                return;
            }
            value = field.get(Modifier.isStatic(field.getModifiers()) ? null : holder);
        } catch (IllegalAccessException | RuntimeException e) {
            // A field that cannot be read is not explained; nothing depends on it.
            return;
        }
        if (value instanceof State
                || value instanceof RuntimeContext
                || value instanceof Serde
                || value instanceof KeyCodec
                || value instanceof Sink) {
            return;
        }
        values.put(number + "." + field.getName() + " " + nameOf(field), text(value));
        if (value != null && isOfUser(value.getClass()) && !value.getClass().isEnum()) {
            read(value, depth + 1, seen, values);
        }
    }

    private static boolean isConstant(Field field) {
        Class<?> type = field.getType();
        boolean value = type.isPrimitive() || type == String.class || type.isEnum();
        return value && Modifier.isStatic(field.getModifiers()) && Modifier.isFinal(field.getModifiers());
    }

    private static String nameOf(Field field) {
        String holder = field.getDeclaringClass().getName();
        int lambda = holder.indexOf("$$Lambda");
        if (lambda >= 0) {
            return "what a lambda in " + holder.substring(0, lambda) + " holds";
        }
        return (Modifier.isStatic(field.getModifiers()) ? "the static field " : "") + field.getName() + " of " + holder;
    }

    private static boolean isOfUser(Class<?> type) {
        String name = type.getName();
        return !type.isArray() && !type.isPrimitive() && NOT_OF_USERS.stream().noneMatch(name::startsWith);
    }

    /** What a field holds: values and collections as text, other objects by their identity. */
    private static String text(@Nullable Object value) {
        if (value == null) {
            return "null";
        }
        if (value.getClass().isArray()) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < Array.getLength(value); i++) {
                text.append(Array.get(value, i)).append(',');
            }
            return text.toString();
        }
        boolean readable = value instanceof Number
                || value instanceof CharSequence
                || value instanceof Boolean
                || value instanceof Character
                || value instanceof Enum
                || value instanceof Record
                || value instanceof Collection
                || value instanceof Map
                || value instanceof AtomicBoolean
                || value instanceof AtomicReference;
        try {
            return readable ? value.toString() : "object " + System.identityHashCode(value);
        } catch (RuntimeException e) {
            return "unreadable";
        }
    }
}
