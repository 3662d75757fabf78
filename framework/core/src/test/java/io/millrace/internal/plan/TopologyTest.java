package io.millrace.internal.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.DataStream;
import io.millrace.ErrorPolicy;
import io.millrace.KeySelector;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.serde.Key2;
import io.millrace.serde.KeyCodec;
import io.millrace.serde.Keys;
import io.millrace.serde.Serde;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.RowKey;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class TopologyTest {
    private static final String BASE = fingerprint(new Definition());

    record Word(@PartitionKey String text) {}

    record OtherWord(@PartitionKey String text) {}

    /** A definition whose parts can be exchanged; all of its lambdas live in this one class. */
    private static final class Definition implements PipelineDefinition {
        String stream = "words";
        Serde<Word> serde = Json.of(Word.class);
        UnaryOperator<DataStream<Word>> steps = Definition::filterThenMap;
        KeySelector<Word, String> selector = Word::text;
        KeyCodec<String> codec = Keys.STRING;
        ErrorPolicy policy = ErrorPolicy.fail();
        String table = "words-table";

        static DataStream<Word> filterThenMap(DataStream<Word> words) {
            return words.filter(word -> !word.text().isEmpty())
                    .map(word -> new Word(word.text().toLowerCase(Locale.ROOT)))
                    .returns(Word.class);
        }

        static DataStream<Word> mapThenFilter(DataStream<Word> words) {
            return words.map(word -> new Word(word.text().toLowerCase(Locale.ROOT)))
                    .returns(Word.class)
                    .filter(word -> !word.text().isEmpty());
        }

        @Override
        public void define(PipelineBuilder pipeline) {
            steps.apply(pipeline.fromKinesis(stream, serde))
                    .keyBy(selector, codec)
                    .reduce((a, b) -> b)
                    .uid("words")
                    .errorPolicy(policy)
                    .sinkTo(DynamoDbSink.rows(table, Word.class));
        }
    }

    /** Another class that holds the same lambda. */
    private static final class OtherHost {
        static KeySelector<Word, String> selector() {
            return word -> word.text();
        }
    }

    private static final class Host {
        static KeySelector<Word, String> selector() {
            return word -> word.text();
        }
    }

    /** The STRING codec under another description. */
    private static final class UpperCase implements KeyCodec<String> {
        @Override
        public String encode(String key) {
            return key;
        }

        @Override
        public String decode(String text) {
            return text;
        }
    }

    private static String fingerprint(PipelineDefinition definition) {
        return PipelineBuilder.plan(definition).stage("words").topology();
    }

    @Test
    void sameDefinitionHasTheSameFingerprint() {
        assertThat(BASE).matches("[0-9a-f]{16}");
        assertThat(fingerprint(new Definition())).isEqualTo(BASE);
    }

    @Test
    void whatComesBehindTheKeyDoesNotCount() {
        Definition definition = new Definition();
        definition.policy = ErrorPolicy.deadLetter();
        definition.table = "other-table";

        assertThat(fingerprint(definition)).isEqualTo(BASE);
    }

    @Test
    void otherStreamHasAnother() {
        Definition definition = new Definition();
        definition.stream = "other-words";

        assertThat(fingerprint(definition)).isNotEqualTo(BASE);
    }

    @Test
    void otherSerdeHasAnother() {
        SourcePlan words = source(Json.of(Word.class));
        SourcePlan otherWords = source(Json.of(OtherWord.class));

        assertThat(Topology.fingerprint(words, List.of(), Host.selector(), Keys.STRING))
                .isNotEqualTo(Topology.fingerprint(otherWords, List.of(), Host.selector(), Keys.STRING));
    }

    @Test
    void otherOrderOfStepsHasAnother() {
        Definition definition = new Definition();
        definition.steps = Definition::mapThenFilter;

        assertThat(fingerprint(definition)).isNotEqualTo(BASE);
    }

    @Test
    void missingStepHasAnother() {
        Definition definition = new Definition();
        definition.steps = words -> words;

        assertThat(fingerprint(definition)).isNotEqualTo(BASE);
    }

    @Test
    void otherKeyCodecHasAnother() {
        Definition definition = new Definition();
        definition.codec = new UpperCase();

        assertThat(fingerprint(definition)).isNotEqualTo(BASE);
    }

    @Test
    void compositeCodecsDifferByTheirParts() {
        KeyCodec<Key2<String, Long>> one = Keys.composite(Keys.STRING, Keys.LONG);
        KeyCodec<Key2<Long, String>> other = Keys.composite(Keys.LONG, Keys.STRING);

        assertThat(one.description()).isEqualTo("composite(string,long)").isNotEqualTo(other.description());
    }

    @Test
    void sameLambdaInAnotherClassHasAnother() {
        Definition one = new Definition();
        one.selector = Host.selector();
        Definition again = new Definition();
        again.selector = Host.selector();
        Definition other = new Definition();
        other.selector = OtherHost.selector();

        assertThat(fingerprint(again)).isEqualTo(fingerprint(one)).isNotEqualTo(fingerprint(other));
    }

    @Test
    void changedCodeInTheClassOfALambdaHasAnother() throws Exception {
        KeyCodec<String> codec = Keys.STRING;
        SourcePlan source = source(Json.of(Word.class));
        Object before = new ChangedHost("before", "before").selector();
        Object same = new ChangedHost("before", "before").selector();
        Object after = new ChangedHost("before", "behind").selector();

        assertThat(Topology.fingerprint(source, List.of(), same, codec))
                .isEqualTo(Topology.fingerprint(source, List.of(), before, codec))
                .isNotEqualTo(Topology.fingerprint(source, List.of(), after, codec));
    }

    /** A class whose lambda is changed from one deployment to the next. */
    public static final class Changing {
        private Changing() {}

        public static KeySelector<String, String> selector() {
            return text -> text + "before";
        }
    }

    /** Loads {@link Changing} with a text in its class file changed to another of the same length. */
    private static final class ChangedHost extends ClassLoader {
        private final byte[] classFile;

        ChangedHost(String text, String changed) throws IOException {
            super(TopologyTest.class.getClassLoader());
            try (InputStream original = Objects.requireNonNull(
                    super.getResourceAsStream(Changing.class.getName().replace('.', '/') + ".class"))) {
                classFile = new String(original.readAllBytes(), StandardCharsets.ISO_8859_1)
                        .replace(text, changed)
                        .getBytes(StandardCharsets.ISO_8859_1);
            }
        }

        Object selector() throws ReflectiveOperationException {
            return defineClass(Changing.class.getName(), classFile, 0, classFile.length)
                    .getMethod("selector")
                    .invoke(null);
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            return new ByteArrayInputStream(classFile);
        }
    }

    @SuppressWarnings("unchecked")
    private static SourcePlan source(Serde<?> serde) {
        return new SourcePlan("words", (Serde<Object>) serde, ErrorPolicy.fail());
    }

    private static String ofRows(DynamoDbSink<?>... sinks) {
        return ofRows(List.of(), sinks);
    }

    @SuppressWarnings("unchecked")
    private static String ofRows(List<Step> steps, DynamoDbSink<?>... sinks) {
        List<OutputPlan> outputs = java.util.Arrays.stream(sinks)
                .map(sink -> new OutputPlan(null, List.of(), (DynamoDbSink<Object>) sink))
                .toList();
        return Topology.ofRows(source(Json.of(Word.class)), steps, outputs);
    }

    @Test
    void rowsOfAStageWithoutStateCountInItsFingerprint() {
        DynamoDbSink<Word> words = DynamoDbSink.rows("words-table", Word.class);
        DynamoDbSink<OtherWord> others = DynamoDbSink.rows("words-table", OtherWord.class);
        DynamoDbSink<Word> elsewhere = DynamoDbSink.rows("other-table", Word.class);
        DynamoDbSink<Word> mapped =
                DynamoDbSink.rows("words-table", RowKey.text("text", Word::text), word -> java.util.Map.of());
        Step step = new Step.Filter(word -> true);

        assertThat(ofRows(words)).matches("[0-9a-f]{16}").isEqualTo(ofRows(words));
        assertThat(List.of(
                        ofRows(words),
                        ofRows(others),
                        ofRows(elsewhere),
                        ofRows(mapped),
                        ofRows(words, elsewhere),
                        ofRows(List.of(step), words),
                        ofRows()))
                .doesNotHaveDuplicates();
    }
}
