package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JavaHomeTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void theVersionIsReadFromTheReleaseFile() throws IOException {
        JavaHome java = JavaHome.named(home("one", "JAVA_VERSION=\"25.0.1\"\n"));
        assertThat(java.version()).isEqualTo("25.0.1");
        assertThat(java.feature()).isEqualTo(25);
        JavaHome unknown = JavaHome.named(home("other", "IMPLEMENTOR=\"x\"\n"));
        assertThat(unknown.version()).isEqualTo("unknown");
        assertThat(unknown.feature()).isZero();
    }

    @Test
    void anOldJavaIsRefused() throws IOException {
        Path eleven = home("eleven", "JAVA_VERSION=\"11.0.2\"\n");
        assertThatThrownBy(() -> JavaHome.named(eleven))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("--java is '" + eleven + "', which is Java 11.0.2; 17 or newer is needed.");
        Path eight = home("eight", "JAVA_VERSION=\"1.8.0_402\"\n");
        assertThatThrownBy(() -> JavaHome.named(eight)).hasMessageContaining("Java 1.8.0_402");
    }

    @Test
    void theRunningJavaComesFirstAndTheNewestRuntimeWhereTheEnvironmentSays() throws IOException {
        Path newest = home("newest", "JAVA_VERSION=\"25.0.9\"\n");
        assertThat(JavaHome.found(Map.of("JAVA_HOME_25", newest.toString()))).satisfies(found -> {
            assertThat(found.get(0).version()).isEqualTo(System.getProperty("java.version"));
            if (found.get(0).feature() == JavaHome.NEWEST_RUNTIME) {
                assertThat(found).hasSize(1);
            } else {
                assertThat(found.get(1)).isEqualTo(new JavaHome(newest, "25.0.9"));
            }
        });
    }

    private Path home(String name, String release) throws IOException {
        Path home = Files.createDirectories(folder.resolve(name));
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, "");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(home.resolve("release"), release);
        return home;
    }
}
