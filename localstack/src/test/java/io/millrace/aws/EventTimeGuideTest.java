package io.millrace.aws;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of the guide on event time: each row that names a test names one that is there. */
class EventTimeGuideTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern TEST = Pattern.compile("`([A-Za-z]+Test)\\.([A-Za-z0-9]+)`");

    private static List<Path> testSources() throws IOException {
        try (Stream<Path> core = Files.walk(ROOT.resolve("framework/core/src/test/java"));
                Stream<Path> local = Files.walk(ROOT.resolve("localstack/src/test/java"))) {
            return Stream.concat(core, local)
                    .filter(path -> path.toString().endsWith("Test.java"))
                    .toList();
        }
    }

    @Test
    void eachRowsTestIsThere() throws IOException {
        String guide = Files.readString(ROOT.resolve("framework/docs/guides/event-time.md"));
        List<Path> sources = testSources();
        Matcher named = TEST.matcher(guide);
        int count = 0;
        while (named.find()) {
            count++;
            Path source = sources.stream()
                    .filter(path -> path.getFileName().toString().equals(named.group(1) + ".java"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no test class " + named.group(1)));
            assertThat(Files.readString(source)).contains("void " + named.group(2) + "()");
        }
        assertThat(count).isGreaterThan(30);
    }

    /** A row without a test must say that there is nothing to test. */
    @Test
    void rowsWithoutATestAreOfWhatIsNotOffered() throws IOException {
        String guide = Files.readString(ROOT.resolve("framework/docs/guides/event-time.md"));
        guide.lines()
                .filter(line -> line.startsWith("| ") && line.endsWith("| |"))
                .forEach(line -> assertThat(line).containsPattern("not offered|not needed"));
    }
}
