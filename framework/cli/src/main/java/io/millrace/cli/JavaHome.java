package io.millrace.cli;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;

/**
 * A Java that functions can run on.
 *
 * @param home its folder, with {@code bin/java} in it
 * @param version such as 25.0.1
 */
record JavaHome(Path home, String version) {
    /** The Java of Lambda's newest runtime. */
    static final int NEWEST_RUNTIME = 25;

    private static final int FEATURE_MIN = 17;
    private static final String NEWEST_VARIABLE = "JAVA_HOME_" + NEWEST_RUNTIME;
    private static final String UNKNOWN = "unknown";

    /** The one in a folder that the user names. */
    static JavaHome named(Path home) {
        if (!Files.isDirectory(home)) {
            throw CommandFailure.usage(
                    "--java is '" + home + "', which is no folder. Name the home of a JDK or a JRE.");
        }
        if (!Files.isExecutable(home.resolve("bin").resolve("java"))) {
            throw CommandFailure.usage(
                    "--java is '" + home + "', in which there is no bin/java. Name the home of a JDK or a JRE.");
        }
        JavaHome java = new JavaHome(home.toAbsolutePath(), versionOf(home));
        if (java.feature() != 0 && java.feature() < FEATURE_MIN) {
            throw CommandFailure.usage("--java is '" + home + "', which is Java " + java.version() + "; " + FEATURE_MIN
                    + " or newer is needed.");
        }
        return java;
    }

    /**
     * The one that runs this command, and the one of Lambda's newest runtime if it lies beside it or where the environment
     * says.
     */
    static List<JavaHome> found(Map<String, String> environment) {
        Path running = Path.of(System.getProperty("java.home"));
        List<JavaHome> javas = new ArrayList<>();
        javas.add(new JavaHome(running, System.getProperty("java.version")));
        if (javas.get(0).feature() != NEWEST_RUNTIME) {
            candidates(running, environment).stream()
                    .filter(home -> Files.isExecutable(home.resolve("bin").resolve("java")))
                    .map(home -> new JavaHome(home, versionOf(home)))
                    .filter(java -> java.feature() == NEWEST_RUNTIME)
                    .findFirst()
                    .ifPresent(javas::add);
        }
        return List.copyOf(javas);
    }

    private static List<Path> candidates(Path running, Map<String, String> environment) {
        List<Path> candidates = new ArrayList<>();
        String named = environment.getOrDefault(NEWEST_VARIABLE, "");
        if (!named.isBlank()) {
            candidates.add(Path.of(named));
        }
        Path folder = running.toAbsolutePath().normalize().getParent();
        if (folder != null) {
            try (DirectoryStream<Path> neighbours = Files.newDirectoryStream(folder, Files::isDirectory)) {
                neighbours.forEach(candidates::add);
            } catch (IOException unreadable) {
                return candidates;
            }
        }
        Stream<Path> sorted = candidates.stream().skip(named.isBlank() ? 0 : 1).sorted();
        return Stream.concat(candidates.stream().limit(named.isBlank() ? 0 : 1), sorted)
                .toList();
    }

    /** As the file says that lies in every Java's home. */
    private static String versionOf(Path home) {
        Properties release = new Properties();
        try (Reader file = Files.newBufferedReader(home.resolve("release"))) {
            release.load(file);
        } catch (IOException | IllegalArgumentException noSuchFile) {
            return UNKNOWN;
        }
        return release.getProperty("JAVA_VERSION", UNKNOWN).replace("\"", "");
    }

    /** The first part of the version; 0 if it is unknown. */
    int feature() {
        String first = version.startsWith("1.") ? version.substring(2) : version;
        int end = 0;
        while (end < first.length() && Character.isDigit(first.charAt(end))) {
            end++;
        }
        return end == 0 || end > 4 ? 0 : Integer.parseInt(first.substring(0, end));
    }
}
