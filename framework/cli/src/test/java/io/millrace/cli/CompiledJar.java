package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** A jar of sources that are compiled against this test's class path, as an application's build would. */
final class CompiledJar {
    /** A pipeline that counts words; its stream is words and its table word-counts. */
    static final String WORD_COUNTS = """
            package app;

            import io.millrace.*;
            import io.millrace.serde.Json;
            import io.millrace.sink.DynamoDbSink;
            import io.millrace.sink.PartitionKey;

            public final class WordCounts implements PipelineDefinition {
                public record Word(String word, long times) {}

                public record Row(@PartitionKey String word, long times) {}

                @Override
                public void define(PipelineBuilder pipeline) {
                    pipeline.fromKinesis("words", Json.of(Word.class))
                            .filter(word -> !word.word().isEmpty())
                            .keyBy(Word::word)
                            .reduce((sum, next) -> new Word(sum.word(), sum.times() + next.times()))
                            .uid("count")
                            .map(sum -> new Row(sum.word(), sum.times()))
                            .sinkTo(DynamoDbSink.rows("word-counts", Row.class));
                }
            }
            """;

    /** A pipeline of two streams and two tables. */
    static final String LEFT_AND_RIGHT = """
            package app;

            import io.millrace.*;
            import io.millrace.serde.Json;
            import io.millrace.sink.DynamoDbSink;

            public final class LeftAndRight implements PipelineDefinition {
                @Override
                public void define(PipelineBuilder pipeline) {
                    for (String side : new String[] {"left", "right"}) {
                        pipeline.fromKinesis(side, Json.of(WordCounts.Word.class))
                                .keyBy(WordCounts.Word::word)
                                .reduce((sum, next) -> next)
                                .uid(side)
                                .map(last -> new WordCounts.Row(last.word(), last.times()))
                                .sinkTo(DynamoDbSink.rows(side + "-rows", WordCounts.Row.class));
                    }
                }
            }
            """;

    private final Path folder;
    private final Map<String, byte[]> entries = new TreeMap<>();

    private CompiledJar(Path folder) {
        this.folder = folder;
    }

    /**
     * Compiles sources.
     *
     * @param folder an empty one to work in
     * @param sources by the class of each
     */
    static CompiledJar of(Path folder, Map<String, String> sources) throws IOException {
        CompiledJar jar = new CompiledJar(folder);
        Path sourceFolder = Files.createDirectories(folder.resolve("sources"));
        Path classFolder = Files.createDirectories(folder.resolve("classes"));
        List<String> arguments = new ArrayList<>(List.of(
                "--release",
                "17",
                "-parameters",
                "-proc:none",
                "-nowarn",
                "-classpath",
                System.getProperty("java.class.path", ""),
                "-d",
                classFolder.toString()));
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = sourceFolder.resolve(source.getKey().replace('.', '/') + ".java");
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            arguments.add(Files.writeString(file, source.getValue()).toString());
        }
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "this is a JDK");
        assertThat(compiler.run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        try (Stream<Path> files = Files.walk(classFolder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                jar.entries.put(classFolder.relativize(file).toString().replace('\\', '/'), Files.readAllBytes(file));
            }
        }
        return jar;
    }

    /** The words and the sides, in a jar of a name. */
    static Path ofPipelines(Path folder, String fileName) throws IOException {
        return of(folder, Map.of("app.WordCounts", WORD_COUNTS, "app.LeftAndRight", LEFT_AND_RIGHT))
                .write(fileName);
    }

    CompiledJar with(String entry, byte[] bytes) {
        entries.put(entry, bytes);
        return this;
    }

    CompiledJar without(String entry) {
        assertThat(entries.remove(entry)).isNotNull();
        return this;
    }

    /** Makes a class look as if it were compiled for a Java. */
    CompiledJar compiledFor(String className, int java) {
        byte[] bytes = Objects.requireNonNull(entries.get(className.replace('.', '/') + ".class"));
        bytes[7] = (byte) (44 + java);
        return this;
    }

    Path write(String fileName) throws IOException {
        Path jar = folder.resolve(fileName);
        try (OutputStream file = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(file)) {
            for (Map.Entry<String, byte[]> entry : entries.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue());
                zip.closeEntry();
            }
        }
        return jar;
    }
}
