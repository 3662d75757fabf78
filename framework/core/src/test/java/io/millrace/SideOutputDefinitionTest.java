package io.millrace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.internal.plan.OutputPlan;
import io.millrace.internal.plan.PipelinePlan;
import io.millrace.internal.plan.Step;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Side outputs while a pipeline is defined. */
class SideOutputDefinitionTest {
    private static final DynamoDbSink<Line> LINES = DynamoDbSink.rows("lines", Line.class);
    private static final OutputTag<String> LATE = new OutputTag<>("late", String.class);
    private static final OutputTag<Line> BROKEN = new OutputTag<>("broken", Line.class);

    record Line(@PartitionKey String text) {}

    private static final class ToLines extends KeyedProcessFunction<String, String, Line> {
        @Override
        public void processElement(String value, Context ctx, Collector<Line> out) {
            out.collect(new Line(value));
        }
    }

    private record Defined(Consumer<StageStream<Line>> body) implements PipelineDefinition {
        @Override
        public void define(PipelineBuilder pipeline) {
            body.accept(pipeline.fromKinesis("texts", Json.of(String.class))
                    .keyBy(text -> text)
                    .process(new ToLines()));
        }
    }

    private static PipelinePlan plan(Consumer<StageStream<Line>> body) {
        return PipelineBuilder.plan(new Defined(body));
    }

    @Test
    void sinksOfSideOutputsAreOutputsOfTheStage() {
        PipelinePlan plan = plan(lines -> {
            lines.uid("lines").sinkTo(LINES);
            lines.getSideOutput(LATE)
                    .filter(text -> !text.isEmpty())
                    .<String>flatMap((text, out) -> out.collect(text))
                    .map(Line::new)
                    .sinkTo(LINES);
            lines.getSideOutput(BROKEN).sinkTo(LINES);
        });

        assertThat(plan.stage("lines").outputs())
                .extracting(OutputPlan::sideOutput)
                .containsExactly(null, LATE, BROKEN);
        assertThat(plan.stage("lines").outputs().get(1).steps())
                .extracting(Object::getClass)
                .containsExactly(Step.Filter.class, Step.FlatMap.class, Step.Map.class);
    }

    @Test
    void sideOutputIsTheStagesWhereverItIsCalled() {
        PipelinePlan plan = plan(lines -> lines.uid("lines")
                .filter(line -> true)
                .sinkTo(LINES)
                .getSideOutput(LATE)
                .map(Line::new)
                .sinkTo(LINES)
                .getSideOutput(BROKEN)
                .sinkTo(LINES));

        assertThat(plan.stage("lines").outputs())
                .extracting(OutputPlan::sideOutput)
                .containsExactly(null, LATE, BROKEN);
        assertThat(plan.stage("lines").outputs())
                .extracting(output -> output.steps().size())
                .containsExactly(1, 1, 0);
    }

    @Test
    void sinkOfASideOutputIsSinkEnough() {
        assertThat(plan(lines -> lines.uid("lines").getSideOutput(BROKEN).sinkTo(LINES))
                        .stage("lines")
                        .outputs())
                .hasSize(1);
        assertThatThrownBy(() -> plan(lines -> lines.uid("lines").getSideOutput(BROKEN)))
                .isInstanceOf(PipelineDefinitionException.class)
                .hasMessageContaining("has no sink");
    }

    @Test
    void tagsOfOneIdAndClassAreOneSideOutput() {
        assertThat(plan(lines -> {
                            lines.uid("lines").getSideOutput(BROKEN).sinkTo(LINES);
                            lines.getSideOutput(new OutputTag<>("broken", Line.class))
                                    .sinkTo(LINES);
                        })
                        .stage("lines")
                        .outputs())
                .hasSize(2);
    }

    @Test
    void tagsOfOneIdAndTwoClassesAreRefused() {
        assertThatThrownBy(() -> plan(lines -> {
                    lines.uid("lines").getSideOutput(LATE).map(Line::new).sinkTo(LINES);
                    lines.getSideOutput(new OutputTag<>("late", Line.class)).sinkTo(LINES);
                }))
                .isInstanceOf(PipelineDefinitionException.class)
                .hasMessage("The side output 'late' of one stage is used with two classes, java.lang.String and "
                        + Line.class.getName() + ". Tags are told apart by their ids: give one of them another id.");
    }

    @Test
    void settingsOfTheStageAreRefusedOnASideOutput() {
        assertRefusedOnSideOutput("uid", side -> side.uid("side"));
        assertRefusedOnSideOutput("name", side -> side.name("side"));
        assertRefusedOnSideOutput("errorPolicy", side -> side.errorPolicy(ErrorPolicy.deadLetter()));
        assertRefusedOnSideOutput("uid", side -> side.map(line -> line).uid("side"));
    }

    private static void assertRefusedOnSideOutput(String setting, Consumer<StageStream<Line>> call) {
        assertThatThrownBy(() -> plan(lines -> call.accept(lines.getSideOutput(BROKEN))))
                .isInstanceOf(PipelineDefinitionException.class)
                .hasMessage("." + setting + "(...) is called on the side output 'broken', which is a part of its stage"
                        + " and has none of its own. Call it on the stream that process(...) returned, before"
                        + " getSideOutput(...).");
    }

    @Test
    void sideOutputAfterDefineIsRefused() {
        StageStream<?>[] kept = new StageStream<?>[1];
        plan(lines -> kept[0] = lines.uid("lines").sinkTo(LINES));

        assertThatThrownBy(() -> kept[0].getSideOutput(BROKEN))
                .isInstanceOf(PipelineDefinitionException.class)
                .hasMessageContaining("after define() has ended");
    }
}
