package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.PipelineDefinition;
import io.millrace.functions.orders.Orders;
import io.millrace.serde.Json;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JarPipelinesTest {
    private static final String OTHER_WORD_COUNTS =
            CompiledJar.WORD_COUNTS.replace("package app;", "package other;").replace("word-counts", "other-counts");

    private static final String OWN_ORDERS = """
            package io.millrace.functions.orders;

            public final class Orders implements io.millrace.PipelineDefinition {
                @Override
                public void define(io.millrace.PipelineBuilder pipeline) {
                    new app.WordCounts().define(pipeline);
                }

                @Override
                public String name() {
                    return "orders-of-the-jar";
                }
            }
            """;

    @TempDir
    private Path folder = Path.of("");

    @Test
    void aPipelineIsFoundByItsClassItsSimpleNameAndItsName() throws IOException {
        Path jar = CompiledJar.ofPipelines(folder, "app.jar");
        try (JarPipelines pipelines = JarPipelines.open(jar)) {
            for (String name : new String[] {"app.WordCounts", "WordCounts", "word-counts"}) {
                FoundPipeline found = pipelines.find(name);
                assertThat(found.type().getName()).isEqualTo("app.WordCounts");
                assertThat(found.name()).isEqualTo("word-counts");
                assertThat(found.jar()).isEqualTo(jar);
                assertThat(found.definition()).isNotSameAs(found.definition());
            }
        }
    }

    @Test
    void theOnlyPipelineNeedsNoNameAndOneOfSeveralDoes() throws IOException {
        Path one = CompiledJar.of(folder, Map.of("app.WordCounts", CompiledJar.WORD_COUNTS))
                .write("one.jar");
        try (JarPipelines pipelines = JarPipelines.open(one)) {
            assertThat(pipelines.find(null).name()).isEqualTo("word-counts");
        }
        assertRefused(CompiledJar.ofPipelines(folder, "two.jar"), null)
                .hasMessageContaining(
                        "holds several: app.LeftAndRight (left-and-right), app.WordCounts (word-counts).");
    }

    @Test
    void anUnknownNameIsAnsweredWithThoseThatThereAre() throws IOException {
        assertRefused(CompiledJar.ofPipelines(folder, "app.jar"), "WordCount")
                .hasMessageContaining("There is no pipeline 'WordCount' in ")
                .hasMessageContaining(
                        "app.jar; there are: app.LeftAndRight (left-and-right), app.WordCounts (word-counts).");
    }

    @Test
    void aNameOfTwoPipelinesIsAmbiguousAndAClassIsNot() throws IOException {
        Path jar = CompiledJar.of(
                        folder,
                        Map.of("app.WordCounts", CompiledJar.WORD_COUNTS, "other.WordCounts", OTHER_WORD_COUNTS))
                .write("app.jar");
        for (String name : new String[] {"WordCounts", "word-counts"}) {
            assertRefused(jar, name)
                    .hasMessageContaining("can be several pipelines in ")
                    .hasMessageContaining(
                            "app.WordCounts (word-counts), other.WordCounts (word-counts). Name one by its class.");
        }
        try (JarPipelines pipelines = JarPipelines.open(jar)) {
            assertThat(pipelines.find("other.WordCounts").plan().stages()).hasSize(1);
        }
    }

    @Test
    void whatIsNoJarIsRefused() throws IOException {
        assertRefused(folder.resolve("no.jar"), null).hasMessageContaining("which does not exist. Is it built?");
        assertRefused(folder, null).hasMessageContaining("a folder; a jar file is expected.");
        assertRefused(Files.writeString(folder.resolve("text.jar"), "no jar"), null)
                .hasMessageContaining("which is no jar file: ");
    }

    @Test
    void aJarWithoutPipelinesSaysSo() throws IOException {
        Path jar = CompiledJar.of(folder, Map.of("app.Other", "package app; public class Other {}"))
                .with("app/Template.class", "no class".getBytes(StandardCharsets.UTF_8))
                .with("app/Short.class", new byte[] {1})
                .write("app.jar");
        assertRefused(jar, null)
                .hasMessageContaining(
                        "holds no pipeline: none of its 1 classes implements io.millrace.PipelineDefinition.");
        assertRefused(jar, "app.Other").hasMessageContaining("app.Other is no pipeline: it does not implement");
    }

    @Test
    void aJarForANewerJavaSaysWhichAndWhatToDo() throws IOException {
        int newer = Runtime.version().feature() + 1;
        Path jar = CompiledJar.of(folder, Map.of("app.WordCounts", CompiledJar.WORD_COUNTS))
                .compiledFor("app.WordCounts", newer)
                .write("app.jar");
        assertRefused(jar, "app.WordCounts")
                .hasMessageContaining("app.WordCounts of ")
                .hasMessageContaining("is compiled for Java " + newer + ", and this is Java " + (newer - 1))
                .hasMessageContaining("--release");
        assertRefused(jar, null).hasMessageContaining("is compiled for Java " + newer);
    }

    @Test
    void aPipelineThatCannotBeMadeSaysWhy() throws IOException {
        String hidden = "package app; final class Hidden extends Base {}";
        String throwing = "package app; public final class Throwing extends Base {"
                + " public Throwing() { throw new IllegalStateException(\"no luck\"); } }";
        String base = "package app; public abstract class Base implements io.millrace.PipelineDefinition {"
                + " public void define(io.millrace.PipelineBuilder pipeline) {} }";
        Path jar = CompiledJar.of(folder, Map.of("app.Hidden", hidden, "app.Throwing", throwing, "app.Base", base))
                .write("app.jar");
        assertRefused(jar, "Hidden").hasMessageContaining("a public class with a public constructor");
        assertRefused(jar, "Throwing")
                .hasMessageContaining("its constructor threw java.lang.IllegalStateException: no luck.");
        assertRefused(jar, null).hasMessageContaining("holds several: app.Hidden, app.Throwing.");
    }

    @Test
    void aJarWithoutItsDependenciesSaysWhatIsMissing() throws IOException {
        Path jar = CompiledJar.of(folder, Map.of("app.WordCounts", CompiledJar.WORD_COUNTS))
                .without("app/WordCounts$Word.class")
                .write("app.jar");
        assertRefused(jar, "WordCounts")
                .hasMessageContaining("cannot be loaded: java.lang.NoClassDefFoundError: app/WordCounts$Word")
                .hasMessageContaining("lacks a dependency");
    }

    @Test
    void whatIsHandedOverIsTheCommandsAndTheRestIsTheJars() throws IOException {
        Path jar = CompiledJar.of(
                        folder,
                        Map.of(
                                "app.WordCounts",
                                CompiledJar.WORD_COUNTS,
                                "io.millrace.functions.orders.Orders",
                                OWN_ORDERS))
                .with("io/millrace/serde/Json.class", "would not load".getBytes(StandardCharsets.UTF_8))
                .write("app.jar");
        try (JarPipelines pipelines = JarPipelines.open(jar)) {
            FoundPipeline orders = pipelines.find("io.millrace.functions.orders.Orders");
            assertThat(orders.name()).isEqualTo("orders-of-the-jar");
            assertThat(orders.type()).isNotEqualTo(Orders.class);
            ClassLoader loader = Objects.requireNonNull(orders.type().getClassLoader());
            assertThat(loader.getResource("io/millrace/functions/orders/Orders.class"))
                    .asString()
                    .contains("app.jar!");
            assertThat(loader.getResource("io/millrace/serde/Json.class"))
                    .asString()
                    .doesNotContain("app.jar!");
        }
    }

    @Test
    void classesOfTheFrameworkAreSharedAndOthersAreNot() {
        assertThat(ApplicationClassLoader.isShared(PipelineDefinition.class.getName()))
                .isTrue();
        assertThat(ApplicationClassLoader.isShared(Json.class.getName())).isTrue();
        assertThat(ApplicationClassLoader.isShared("software.amazon.awssdk.services.kinesis.KinesisClient"))
                .isTrue();
        assertThat(ApplicationClassLoader.isShared("com.fasterxml.jackson.annotation.JsonProperty"))
                .isTrue();
        assertThat(ApplicationClassLoader.isShared("io.millrace.functions.orders.Orders"))
                .isFalse();
        assertThat(ApplicationClassLoader.isShared("com.example.pageviews.PageViews"))
                .isFalse();
    }

    @Test
    void theThreadsClassLoaderIsTheJarsWhileItRuns() throws Exception {
        try (JarPipelines pipelines = JarPipelines.open(CompiledJar.ofPipelines(folder, "app.jar"))) {
            FoundPipeline found = pipelines.find("WordCounts");
            ClassLoader before = Thread.currentThread().getContextClassLoader();
            ClassLoader during =
                    found.inItsClassLoader(() -> Thread.currentThread().getContextClassLoader());
            assertThat(during).isEqualTo(found.type().getClassLoader()).isNotEqualTo(before);
            assertThat(Thread.currentThread().getContextClassLoader()).isEqualTo(before);
            try (InputStream bytes = found.type().getResourceAsStream("WordCounts.class")) {
                assertThat(bytes).isNotNull();
            }
        }
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(Path jar, @Nullable String name) {
        return assertThatThrownBy(() -> {
                    try (JarPipelines pipelines = JarPipelines.open(jar)) {
                        pipelines.find(name);
                    }
                })
                .isInstanceOf(CommandFailure.class);
    }
}
