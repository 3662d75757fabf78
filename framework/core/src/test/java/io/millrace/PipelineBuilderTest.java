package io.millrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.internal.plan.KeyedStagePlan;
import io.millrace.internal.plan.PipelinePlan;
import io.millrace.internal.plan.RowStagePlan;
import io.millrace.internal.plan.StagePlan;
import io.millrace.internal.plan.Step;
import io.millrace.serde.Json;
import io.millrace.serde.Keys;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.RowChange;
import io.millrace.sink.RowKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PipelineBuilderTest {
    private static final DynamoDbSink<Click> CLICKS = DynamoDbSink.rows("clicks-table", Click.class);

    record Click(@PartitionKey String page, long count) {}

    /** A pipeline with a name that is given. */
    private record Named(String name, Consumer<PipelineBuilder> body) implements PipelineDefinition {
        @Override
        public void define(PipelineBuilder pipeline) {
            body.accept(pipeline);
        }
    }

    /** Puts out what comes in. */
    private static final class Echo extends KeyedProcessFunction<String, Click, Click> {
        @Override
        public void processElement(Click value, Context ctx, Collector<Click> out) {
            out.collect(value);
        }
    }

    private static final class OnTimeBoard2Go implements PipelineDefinition {
        @Override
        public void define(PipelineBuilder pipeline) {
            counted(pipeline).uid("counts").sinkTo(CLICKS);
        }
    }

    private static PipelinePlan plan(Consumer<PipelineBuilder> body) {
        return PipelineBuilder.plan(new Named("test", body));
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(Consumer<PipelineBuilder> body) {
        return assertThatThrownBy(() -> plan(body)).isInstanceOf(PipelineDefinitionException.class);
    }

    private static SourceStream<Click> clicks(PipelineBuilder pipeline) {
        return pipeline.fromKinesis("clicks", Json.of(Click.class));
    }

    private static StageStream<Click> counted(PipelineBuilder pipeline) {
        return clicks(pipeline)
                .keyBy(Click::page)
                .reduce((sum, click) -> new Click(sum.page(), sum.count() + click.count()));
    }

    @Test
    void fieldCase25StatefulStageWithoutUidIsRefused() {
        assertRefused(pipeline -> counted(pipeline).sinkTo(CLICKS))
                .hasMessage("The stage 'reduce' on stream 'clicks' keeps state but has no uid, so its state could not"
                        + " be found again after a change of the pipeline. Add .uid(\"a-stable-name\") behind"
                        + " reduce(...).");
        assertRefused(pipeline ->
                        clicks(pipeline).keyBy(Click::page).process(new Echo()).sinkTo(CLICKS))
                .hasMessageContaining("The stage 'process' on stream 'clicks'")
                .hasMessageContaining("behind process(...)");
    }

    @Test
    void fieldCase25TwoStagesWithOneUidAreRefused() {
        assertRefused(pipeline -> {
                    counted(pipeline).uid("counts").sinkTo(CLICKS);
                    counted(pipeline).uid("counts").sinkTo(CLICKS);
                })
                .hasMessage("Two stages have the uid 'counts', so each would overwrite the state of the other."
                        + " Give each stage a uid of its own.");
    }

    @Test
    void secondUidOfOneStageIsRefused() {
        assertRefused(pipeline -> counted(pipeline).uid("first").uid("second").sinkTo(CLICKS))
                .hasMessage("The stage with uid 'first' was given a second uid 'second'. Call .uid(...) once a stage.");
    }

    @Test
    void stageWithoutSinkIsRefused() {
        assertRefused(pipeline -> counted(pipeline).uid("counts"))
                .hasMessage("The stage 'counts' has no sink, so nobody could see its results."
                        + " Add .sinkTo(DynamoDbSink.rows(...)) to it.");
    }

    @Test
    void pipelineWithoutStageIsRefused() {
        assertRefused(pipeline -> clicks(pipeline).filter(click -> click.count() > 0))
                .hasMessage("The pipeline 'test' defines no stage. A stage is fromKinesis(...).keyBy(...).process(...)"
                        + " or .reduce(...), with a uid and a sink.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", ".a", "_a", "a b", "a#b", "a/b", "é", "a\n"})
    void uidThatIsNoNameIsRefused(String uid) {
        assertRefused(pipeline -> counted(pipeline).uid(uid).sinkTo(CLICKS))
                .hasMessage("The uid '" + uid + "' is not allowed: 1 to 64 letters, digits, '_', '.' or '-' are,"
                        + " beginning with a letter or digit.");
    }

    @Test
    void nameHasAtMost64Characters() {
        String longest = "n".repeat(64);
        PipelineDefinition good =
                new Named(longest, p -> counted(p).uid(longest).sinkTo(CLICKS));
        PipelineDefinition bad =
                new Named("n".repeat(65), p -> counted(p).uid("u").sinkTo(CLICKS));

        assertThat(PipelineBuilder.plan(good).name()).isEqualTo(longest);
        assertThatThrownBy(() -> PipelineBuilder.plan(bad))
                .isInstanceOf(PipelineDefinitionException.class)
                .hasMessageStartingWith("The pipeline name '" + "n".repeat(65) + "' is not allowed");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/b", "a:b", "é"})
    void streamThatKinesisCannotHaveIsRefused(String stream) {
        assertRefused(pipeline -> pipeline.fromKinesis(stream, Json.of(Click.class)))
                .hasMessage("The stream name '" + stream + "' is not one of Kinesis: 1 to 128 letters, digits, '_', '.'"
                        + " or '-'.");
    }

    @Test
    void streamNameHasAtMost128Characters() {
        PipelinePlan longest = plan(pipeline -> pipeline.fromKinesis("s".repeat(128), Json.of(Click.class))
                .keyBy(Click::page)
                .process(new Echo())
                .uid("echo")
                .sinkTo(CLICKS));

        assertThat(longest.stage("echo").source().stream()).hasSize(128);
        assertRefused(pipeline -> pipeline.fromKinesis("s".repeat(129), Json.of(Click.class)))
                .hasMessageContaining("1 to 128");
    }

    @Test
    void reduceOfElementsOfUnknownTypeIsRefusedAndReturnsMendsIt() {
        assertRefused(pipeline -> clicks(pipeline)
                        .map(click -> new Click(click.page(), 1))
                        .keyBy(Click::page)
                        .reduce((a, b) -> b))
                .hasMessage("The type of the elements before reduce(...) is not known, since Java erases the types of"
                        + " lambdas. Add .returns(YourType.class) or .returns(aSerde) directly before it.");
        assertRefused(pipeline -> clicks(pipeline)
                        .<Click>flatMap((click, out) -> out.collect(click))
                        .keyBy(Click::page)
                        .reduce((a, b) -> b))
                .hasMessageContaining("before reduce(...)");

        PipelinePlan mended = plan(pipeline -> clicks(pipeline)
                .map(click -> new Click(click.page(), 1))
                .returns(Click.class)
                .filter(click -> true)
                .keyBy(Click::page)
                .reduce((a, b) -> b)
                .uid("latest")
                .sinkTo(CLICKS));
        assertThat(((KeyedStagePlan) mended.stage("latest")).steps()).hasSize(2);
    }

    @Test
    void nameIsTheClassInKebabCase() {
        assertThat(new OnTimeBoard2Go().name()).isEqualTo("on-time-board2-go");
        assertThat(PipelineBuilder.plan(new OnTimeBoard2Go()).name()).isEqualTo("on-time-board2-go");
    }

    @Test
    void definitionWithoutClassNameIsRefusedUntilItHasAName() {
        PipelineDefinition lambda = pipeline -> counted(pipeline).uid("counts").sinkTo(CLICKS);

        assertThatThrownBy(() -> PipelineBuilder.plan(lambda))
                .isInstanceOf(PipelineDefinitionException.class)
                .hasMessageStartingWith("The pipeline name '");
    }

    @Test
    void severalStagesOnOneStreamKeepTheirOwnSteps() {
        PipelinePlan plan = plan(pipeline -> {
            DataStream<Click> all = clicks(pipeline);
            DataStream<Click> many = all.filter(click -> click.count() > 1);
            many.map(click -> click)
                    .keyBy(Click::page)
                    .process(new Echo())
                    .uid("mapped")
                    .sinkTo(CLICKS);
            many.keyBy(Click::count, Keys.LONG)
                    .reduce((a, b) -> b)
                    .uid("by-count")
                    .name("By count")
                    .errorPolicy(ErrorPolicy.deadLetter())
                    .sinkTo(CLICKS)
                    .filter(click -> click.count() < 9)
                    .sinkTo(DynamoDbSink.rows("few-table", Click.class));
        });

        assertThat(plan.stages()).extracting(StagePlan::uid).containsExactly("mapped", "by-count");
        KeyedStagePlan mapped = (KeyedStagePlan) plan.stage("mapped");
        assertThat(mapped.name()).isEqualTo("mapped");
        assertThat(mapped.errorPolicy()).isEqualTo(ErrorPolicy.fail());
        assertThat(mapped.steps()).hasExactlyElementsOfTypes(Step.Filter.class, Step.Map.class);
        KeyedStagePlan byCount = (KeyedStagePlan) plan.stage("by-count");
        assertThat(byCount.name()).isEqualTo("By count");
        assertThat(byCount.errorPolicy()).isEqualTo(ErrorPolicy.deadLetter());
        assertThat(byCount.steps()).hasExactlyElementsOfTypes(Step.Filter.class);
        assertThat(byCount.outputs())
                .extracting(output -> output.steps().size())
                .containsExactly(0, 1);
        assertThat(byCount.source()).isEqualTo(mapped.source());
    }

    @Test
    void undecodableRecordsAreDeadLettersUnlessSaidOtherwise() {
        assertThat(plan(pipeline -> counted(pipeline).uid("counts").sinkTo(CLICKS))
                        .stage("counts")
                        .source()
                        .undecodablePolicy())
                .isEqualTo(ErrorPolicy.deadLetter());
        assertThat(plan(pipeline -> {
                            SourceStream<Click> source = clicks(pipeline);
                            source.keyBy(Click::page)
                                    .process(new Echo())
                                    .uid("echo")
                                    .sinkTo(CLICKS);
                            source.undecodable(ErrorPolicy.fail());
                        })
                        .stage("echo")
                        .source()
                        .undecodablePolicy())
                .isEqualTo(ErrorPolicy.fail());
    }

    @Test
    void stageDefinedAfterDefineIsRefused() {
        List<DataStream<Click>> kept = new ArrayList<>();
        plan(pipeline -> {
            kept.add(clicks(pipeline));
            counted(pipeline).uid("counts").sinkTo(CLICKS);
        });

        assertThatThrownBy(() -> kept.get(0).keyBy(Click::page).process(new Echo()))
                .isInstanceOf(PipelineDefinitionException.class)
                .hasMessage("The pipeline 'test' was built already: define() must not keep the builder and use it"
                        + " later.");
    }

    @Test
    void stageChangedAfterDefineIsRefused() {
        List<StageStream<Click>> kept = new ArrayList<>();
        plan(pipeline -> kept.add(counted(pipeline).uid("counts").sinkTo(CLICKS)));

        assertThatThrownBy(() -> kept.get(0).sinkTo(CLICKS))
                .isInstanceOf(PipelineDefinitionException.class)
                .hasMessageContaining("'counts' is changed after define() has ended");
        assertThatThrownBy(() -> kept.get(0).errorPolicy(ErrorPolicy.deadLetter()))
                .isInstanceOf(PipelineDefinitionException.class);
    }

    @Test
    void oneFunctionObjectInTwoStagesIsRefused() {
        Echo echo = new Echo();
        assertRefused(pipeline -> {
                    clicks(pipeline).keyBy(Click::page).process(echo).uid("one").sinkTo(CLICKS);
                    clicks(pipeline).keyBy(Click::page).process(echo).uid("two").sinkTo(CLICKS);
                })
                .hasMessageContaining("stage 'two' is used by another stage too");
    }

    @Test
    void unknownStageIsNamedTogetherWithTheKnownOnes() {
        PipelinePlan plan = plan(pipeline -> counted(pipeline).uid("counts").sinkTo(CLICKS));

        assertThatThrownBy(() -> plan.stage("other"))
                .isInstanceOf(MillraceException.class)
                .hasMessage("The pipeline 'test' has no stage 'other'; it has [counts].");
    }

    @Test
    void runtimeContextIsRefusedBeforeOpen() {
        assertThatThrownBy(() -> new Echo().getRuntimeContext())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("from open() on");
    }

    @Test
    void runningAggregateNeedsAUid() {
        assertRefused(pipeline -> clicks(pipeline)
                        .keyBy(Click::page)
                        .aggregate(new RunningAggregateTest.Concatenation(), String.class)
                        .map(text -> new Click(text, 1))
                        .sinkTo(CLICKS))
                .hasMessageContaining("The stage 'aggregate' on stream 'clicks' keeps state but has no uid");
    }

    @Test
    void deduplicationHasBoundsAndIsAskedForOnce() {
        for (Duration bad : List.of(
                Duration.ZERO,
                Duration.ofNanos(999_999),
                Duration.ofDays(36_500).plusNanos(1))) {
            assertRefused(pipeline -> clicks(pipeline).keyBy(Click::page).deduplicate(Click::page, bad))
                    .hasMessage("deduplicate(...) is asked to remember ids for " + bad + "; PT0.001S to PT876000H are"
                            + " allowed. Take the longest time after which producers still retry.");
        }
        assertRefused(pipeline -> clicks(pipeline)
                        .keyBy(Click::page)
                        .deduplicate(Click::page, Duration.ofDays(36_500))
                        .deduplicate(Click::page, Duration.ofMillis(1)))
                .hasMessage(
                        "deduplicate(...) is called twice on one stream of keys, where each would need ids of its own."
                                + " Call it once, with an id that is made of both.");
    }

    @Test
    void deduplicationBelongsToTheStageThatFollows() {
        PipelinePlan plan = plan(pipeline -> {
            KeyedStream<String, Click> pages = clicks(pipeline).keyBy(Click::page);
            KeyedStream<String, Click> once = pages.deduplicate(Click::page, Duration.ofMinutes(5));
            once.reduce((a, b) -> b).uid("once").sinkTo(CLICKS);
            pages.process(new Echo()).uid("all").sinkTo(CLICKS);
        });

        assertThat(keyed(plan, "once").deduplication())
                .isNotNull()
                .satisfies(once -> assertThat(once.within()).isEqualTo(Duration.ofMinutes(5)));
        assertThat(keyed(plan, "all").deduplication()).isNull();
        assertThat(plan.stage("once").topology())
                .as("what is dropped decides under no key")
                .isEqualTo(plan.stage("all").topology());
    }

    private static KeyedStagePlan keyed(PipelinePlan plan, String uid) {
        return (KeyedStagePlan) plan.stage(uid);
    }

    @Test
    void streamCanBeSunkWithoutState() {
        PipelinePlan plan = plan(pipeline -> clicks(pipeline)
                .map(click -> click)
                .filter(click -> click.count() > 1)
                .sinkTo(CLICKS)
                .sinkTo(DynamoDbSink.rows("more-clicks", Click.class))
                .uid("rows")
                .name("Rows")
                .errorPolicy(ErrorPolicy.deadLetter()));

        RowStagePlan stage = (RowStagePlan) plan.stage("rows");
        assertThat(stage.name()).isEqualTo("Rows");
        assertThat(stage.errorPolicy()).isEqualTo(ErrorPolicy.deadLetter());
        assertThat(stage.steps()).hasExactlyElementsOfTypes(Step.Map.class, Step.Filter.class);
        assertThat(stage.outputs())
                .extracting(output -> output.sink().table())
                .containsExactly("clicks-table", "more-clicks");
        assertThat(stage.outputs())
                .allSatisfy(output -> assertThat(output.steps()).isEmpty());
        assertThat(stage.source().stream()).isEqualTo("clicks");
    }

    @Test
    void stageWithoutStateNeedsAUidToo() {
        assertRefused(pipeline -> clicks(pipeline).sinkTo(CLICKS))
                .hasMessage(
                        "The stage that writes the elements of stream 'clicks' into rows has no uid, so its place in"
                                + " the stream could not be found again after a change of the pipeline. Add"
                                + " .uid(\"a-stable-name\") behind sinkTo(...).");
        assertThat(plan(pipeline -> clicks(pipeline).sinkTo(CLICKS).uid("rows"))
                        .stage("rows")
                        .name())
                .isEqualTo("rows");
    }

    @Test
    void tableOfAStageWithoutStateIsItsOwn() {
        assertRefused(pipeline -> {
                    clicks(pipeline).sinkTo(CLICKS).uid("rows");
                    counted(pipeline).uid("counts").sinkTo(CLICKS);
                })
                .hasMessage("The stages 'rows' and 'counts' both write table 'clicks-table', and one of them has no"
                        + " state: the rows carry its fence, which the other would overwrite or obey. Give each a table of"
                        + " its own.");
        assertRefused(pipeline -> {
                    counted(pipeline).uid("counts").sinkTo(CLICKS);
                    clicks(pipeline).sinkTo(CLICKS).uid("rows");
                })
                .hasMessageContaining("'counts' and 'rows'");
        assertRefused(pipeline -> {
                    clicks(pipeline).sinkTo(CLICKS).uid("one");
                    clicks(pipeline).sinkTo(CLICKS).uid("two");
                })
                .hasMessageContaining("'one' and 'two'");
        assertThat(plan(pipeline ->
                                clicks(pipeline).sinkTo(CLICKS).sinkTo(CLICKS).uid("twice"))
                        .stages())
                .hasSize(1);
    }

    @Test
    void tableHasOneKey() {
        DynamoDbSink<Click> other = DynamoDbSink.rows(
                "clicks-table", RowKey.text("page", Click::page).thenNumber("count", Click::count), click -> Map.of());
        DynamoDbSink<Click> same =
                DynamoDbSink.changes("clicks-table", RowKey.text("page", Click::page), click -> RowChange.delete());

        assertRefused(pipeline -> counted(pipeline).uid("counts").sinkTo(CLICKS).sinkTo(other))
                .hasMessageStartingWith("Two sinks describe the key of table 'clicks-table' differently: ");
        assertThat(plan(pipeline ->
                                counted(pipeline).uid("counts").sinkTo(CLICKS).sinkTo(same))
                        .stages())
                .hasSize(1);
    }
}
