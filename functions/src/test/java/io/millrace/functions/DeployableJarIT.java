package io.millrace.functions;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;

/** What is deployed holds the functions and nothing that is there to test them. */
class DeployableJarIT {
    private static final Path JAR =
            Path.of(System.getProperty("millrace.deployable.jar", "target/millrace-functions-lambda.jar"));

    @Test
    void holdsTheHandlerAndTheFunctions() throws IOException {
        assertThat(entries())
                .contains("io/millrace/aws/MillraceFunction.class")
                .contains("io/millrace/functions/flights/OnTimeBoard.class")
                .contains("io/millrace/internal/engine/EngineRules.class", "io/millrace/aws/internal/ShellRules.class");
    }

    @Test
    void holdsNeitherMutantsNorWhatCouldSwitchThemOn() throws IOException {
        assertThat(entries())
                .noneMatch(name -> name.contains("Mutant"))
                .noneMatch(name -> name.contains("RuledFunctions"))
                .noneMatch(name -> name.startsWith("io/millrace/simulation/"));
    }

    @Test
    void holdsNeitherTheLocalCloudNorWhatLambdaBringsItself() throws IOException {
        assertThat(entries())
                .noneMatch(name -> name.startsWith("io/millrace/local/"))
                .noneMatch(name -> name.startsWith("com/amazonaws/services/lambda/runtime/api/"));
    }

    @Test
    void holdsNoOtherRulesThanTheProtocols() throws IOException {
        List<String> rules = entries().stream()
                .filter(name -> name.matches("io/millrace/.*Rules(\\$.*)?\\.class"))
                .toList();
        assertThat(rules)
                .containsExactlyInAnyOrder(
                        "io/millrace/internal/engine/EngineRules.class", "io/millrace/aws/internal/ShellRules.class");
    }

    private static List<String> entries() throws IOException {
        assertThat(Files.exists(JAR))
                .as("%s is there; 'mvn -DskipTests package -pl functions -am' builds it", JAR.toAbsolutePath())
                .isTrue();
        try (ZipFile jar = new ZipFile(JAR.toFile())) {
            return Collections.list(Objects.requireNonNull(jar.entries())).stream()
                    .map(ZipEntry::getName)
                    .toList();
        }
    }
}
