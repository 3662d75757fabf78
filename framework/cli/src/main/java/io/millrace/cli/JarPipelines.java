package io.millrace.cli;

import io.millrace.PipelineDefinition;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/** The pipelines in an application's jar: all its classes that implement {@link PipelineDefinition}. Not thread-safe. */
final class JarPipelines implements PipelineCatalog {
    /** How many pipelines a message names. */
    static final int NAMED_MAX = 20;

    private static final int CLASS_FILE_MAGIC = 0xCAFEBABE;
    private static final int CLASS_FILE_BYTES_MIN = 8;
    /** Java 1 has class files of version 45, and each Java the next number. */
    private static final int CLASS_FILE_VERSION_BASE = 44;

    private static final String CLASS_SUFFIX = ".class";

    private final Path jar;
    private final ApplicationClassLoader loader;

    /** The application's classes and the Java that each needs. */
    private final Map<String, Integer> javaByClass;

    private JarPipelines(Path jar, ApplicationClassLoader loader, Map<String, Integer> javaByClass) {
        this.jar = jar;
        this.loader = loader;
        this.javaByClass = javaByClass;
    }

    /**
     * The pipelines of a jar, none of which is loaded yet.
     *
     * @throws CommandFailure if there is no such jar
     */
    static JarPipelines open(Path jar) {
        if (!Files.exists(jar)) {
            throw CommandFailure.usage("--jar is '" + jar + "', which does not exist. Is it built?");
        }
        if (!Files.isRegularFile(jar) || !Files.isReadable(jar)) {
            throw CommandFailure.usage("--jar is '" + jar + "', "
                    + (Files.isDirectory(jar) ? "a folder; a jar file is expected." : "which this user cannot read."));
        }
        try {
            Map<String, Integer> javaByClass = javaByClass(jar);
            ApplicationClassLoader loader =
                    new ApplicationClassLoader(jar.toUri().toURL(), JarPipelines.class.getClassLoader());
            return new JarPipelines(jar, loader, javaByClass);
        } catch (IOException e) {
            throw CommandFailure.usage("--jar is '" + jar + "', which is no jar file: " + e.getMessage() + ".", e);
        }
    }

    private static Map<String, Integer> javaByClass(Path jar) throws IOException {
        Map<String, Integer> javaByClass = new TreeMap<>();
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            for (ZipEntry entry : Collections.list(zip.entries())) {
                String name = entry.getName();
                String className =
                        name.replace('/', '.').substring(0, Math.max(0, name.length() - CLASS_SUFFIX.length()));
                if (name.endsWith(CLASS_SUFFIX) && !name.contains("-") && !ApplicationClassLoader.isShared(className)) {
                    // A '-' is in META-INF, module-info and package-info, and in no name of a class.
                    int java = javaOf(zip, entry);
                    if (java >= 0) {
                        javaByClass.put(className, java);
                    }
                }
            }
        }
        return javaByClass;
    }

    /** The Java that a class needs; negative for an entry that is no class, whatever its name. */
    private static int javaOf(ZipFile zip, ZipEntry entry) throws IOException {
        try (DataInputStream bytes = new DataInputStream(zip.getInputStream(entry))) {
            if (entry.getSize() < CLASS_FILE_BYTES_MIN || bytes.readInt() != CLASS_FILE_MAGIC) {
                return -1;
            }
            bytes.readUnsignedShort();
            return bytes.readUnsignedShort() - CLASS_FILE_VERSION_BASE;
        }
    }

    @Override
    public FoundPipeline find(@Nullable String name) {
        if (name != null && javaByClass.containsKey(name)) {
            return FoundPipeline.of(load(name), jar);
        }
        List<Class<?>> pipelines = pipelines();
        if (pipelines.isEmpty()) {
            throw none();
        }
        List<Class<?>> matching = name == null
                ? pipelines
                : pipelines.stream()
                        .filter(type -> type.getSimpleName().equals(name) || name.equals(nameOf(type)))
                        .toList();
        if (matching.size() == 1) {
            return FoundPipeline.of(matching.get(0), jar);
        }
        if (name == null) {
            throw CommandFailure.usage("A pipeline is missing; " + jar + " holds several: " + words(pipelines) + ".");
        }
        if (matching.isEmpty()) {
            javaByClass.keySet().stream()
                    .filter(className -> className.endsWith("." + name))
                    .forEach(this::checkJava);
            throw CommandFailure.usage(
                    "There is no pipeline '" + name + "' in " + jar + "; there are: " + words(pipelines) + ".");
        }
        throw CommandFailure.usage("'" + name + "' can be several pipelines in " + jar + ": " + words(matching)
                + ". Name one by its class.");
    }

    private Class<?> load(String className) {
        checkJava(className);
        try {
            return Class.forName(className, false, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            throw CommandFailure.usage("The class " + className + " of " + jar + " cannot be loaded: " + e + ".", e);
        }
    }

    private void checkJava(String className) {
        int java = javaByClass.getOrDefault(className, 0);
        if (java > Runtime.version().feature()) {
            throw CommandFailure.usage("The class " + className + " of " + jar + " is compiled for Java " + java
                    + ", and this is Java " + Runtime.version().feature()
                    + ". Compile it with a lower --release, or set JAVA_HOME to a JDK of at least " + java + ".");
        }
    }

    private List<Class<?>> pipelines() {
        List<Class<?>> pipelines = new ArrayList<>();
        javaByClass.forEach((className, java) -> {
            if (java <= Runtime.version().feature()) {
                addIfPipeline(className, pipelines);
            }
        });
        return pipelines;
    }

    private void addIfPipeline(String className, List<Class<?>> pipelines) {
        try {
            Class<?> type = Class.forName(className, false, loader);
            boolean concrete = !type.isInterface() && !Modifier.isAbstract(type.getModifiers());
            if (concrete && !type.isAnonymousClass() && PipelineDefinition.class.isAssignableFrom(type)) {
                pipelines.add(type);
            }
        } catch (ClassNotFoundException | LinkageError ofALibrary) {
            // Libraries hold classes for dependencies that are not there. A pipeline that is meant is named, and then
            // told.
        }
    }

    private CommandFailure none() {
        javaByClass.keySet().forEach(this::checkJava);
        return CommandFailure.usage(jar + " holds no pipeline: none of its " + javaByClass.size()
                + " classes implements " + PipelineDefinition.class.getName() + ".");
    }

    private static @Nullable String nameOf(Class<?> type) {
        try {
            return FoundPipeline.instantiate(type).name();
        } catch (RuntimeException | LinkageError notToBeMade) {
            return null;
        }
    }

    private static String words(List<Class<?>> pipelines) {
        String words = pipelines.stream()
                .limit(NAMED_MAX)
                .map(type -> {
                    String name = nameOf(type);
                    return type.getName() + (name == null ? "" : " (" + name + ")");
                })
                .collect(Collectors.joining(", "));
        return pipelines.size() <= NAMED_MAX ? words : words + " and " + (pipelines.size() - NAMED_MAX) + " more";
    }

    @Override
    public void close() {
        try {
            loader.close();
        } catch (IOException e) {
            throw new UncheckedIOException("The jar " + jar + " could not be closed", e);
        }
    }
}
