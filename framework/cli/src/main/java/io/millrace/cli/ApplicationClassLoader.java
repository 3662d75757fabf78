package io.millrace.cli;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Loads the classes of an application's jar. Thread-safe.
 *
 * <p>A deployable jar holds copies of Millrace, the SDK and Jackson. What the command and the application hand to each
 * other must be one class for both, so these come from the command, and the jar's copies lie idle: the pipeline runs on
 * the command's version of Millrace. All other classes and resources are the jar's own where it has them.
 */
final class ApplicationClassLoader extends URLClassLoader {
    /** The packages of what is handed over; Java's own classes cannot be of a jar anyway. */
    private static final List<String> SHARED = List.of(
            "java.",
            "io.millrace.",
            "software.amazon.awssdk.",
            "com.amazonaws.services.lambda.runtime.",
            "com.fasterxml.jackson.",
            "org.slf4j.",
            "org.jspecify.");

    /** Examples are applications. */
    private static final String EXAMPLES = "io.millrace.functions.";

    static {
        registerAsParallelCapable();
    }

    ApplicationClassLoader(URL jar, ClassLoader parent) {
        super(new URL[] {jar}, parent);
    }

    /** Whether a class comes from the command, if it has it. */
    static boolean isShared(String className) {
        return !className.startsWith(EXAMPLES) && SHARED.stream().anyMatch(className::startsWith);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (isShared(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded == null) {
                try {
                    loaded = findClass(name);
                } catch (ClassNotFoundException notInTheJar) {
                    return super.loadClass(name, resolve);
                }
            }
            if (resolve) {
                resolveClass(loaded);
            }
            return loaded;
        }
    }

    @Override
    public @Nullable URL getResource(String name) {
        URL own = isShared(name.replace('/', '.')) ? null : findResource(name);
        return own == null ? super.getResource(name) : own;
    }
}
