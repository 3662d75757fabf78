package io.millrace.internal.plan;

import io.millrace.serde.KeyCodec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * The fingerprint of what comes before a stage's state: source, decoding, steps, key. Two versions of the code with
 * different fingerprints may compute different keys for one record, so they must not share an unfinished batch.
 *
 * <p>A function is named by its class and that class's bytes; a lambda by the class that holds it. So a change of
 * logic is seen without the user declaring it. What is not seen: code that a function calls in other classes.
 *
 * <p>In a stage without state the rows take the place of the key, so what makes the rows counts too.
 */
public final class Topology {
    private static final int FINGERPRINT_BYTES = 8;

    private final MessageDigest digest;

    private Topology() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** The fingerprint, 16 hexadecimal digits. */
    public static String fingerprint(SourcePlan source, List<Step> steps, Object keySelector, KeyCodec<?> codec) {
        Topology topology = new Topology();
        topology.add(source, steps);
        topology.addFunction(keySelector);
        topology.add(codec.description());
        return topology.digits();
    }

    /** The fingerprint of a stage without state, 16 hexadecimal digits: its records are fenced in the rows they change. */
    public static String ofRows(SourcePlan source, List<Step> steps, List<OutputPlan> outputs) {
        Topology topology = new Topology();
        topology.add(source, steps);
        for (OutputPlan output : outputs) {
            topology.add(output.sink().table());
            output.sink().code().forEach(topology::addClass);
        }
        return topology.digits();
    }

    private String digits() {
        return HexFormat.of().formatHex(digest.digest(), 0, FINGERPRINT_BYTES);
    }

    private void add(SourcePlan source, List<Step> steps) {
        add(source.stream());
        add(source.decoder().description());
        for (Step step : steps) {
            add(step.getClass().getSimpleName());
            addFunction(step.function());
        }
    }

    private void add(String text) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) 0);
    }

    private void addFunction(Object function) {
        addClass(function.getClass());
    }

    private void addClass(Class<?> code) {
        String className = hostClass(code.getName());
        add(className);
        String resource = "/" + className.replace('.', '/') + ".class";
        try (InputStream bytes = code.getResourceAsStream(resource)) {
            if (bytes != null) {
                digest.update(bytes.readAllBytes());
            }
        } catch (IOException e) {
            throw new IllegalStateException("The class file " + resource + " cannot be read.", e);
        }
    }

    /** The class that holds a lambda, since a lambda's own name changes from run to run. */
    private static String hostClass(String className) {
        int lambda = className.indexOf("$$Lambda");
        return lambda < 0 ? className : className.substring(0, lambda);
    }
}
