package io.millrace;

import io.millrace.internal.plan.OutputPlan;
import io.millrace.internal.plan.SourcePlan;
import io.millrace.internal.plan.StagePlan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A stage while it is defined. */
final class StageBuilder {
    /** The operator that makes a stage without state. */
    static final String SINK_OPERATOR = "sinkTo";

    private final String operator;
    private final Supplier<SourcePlan> source;
    private final Shape shape;
    private final List<OutputPlan> outputs = new ArrayList<>();
    private final List<OutputTag<?>> lateOutputs = new ArrayList<>();
    private final Map<String, OutputTag<?>> sideOutputs = new HashMap<>();
    private @Nullable String uid;
    private @Nullable String name;
    private ErrorPolicy errorPolicy = ErrorPolicy.fail();
    private boolean built;

    /** What a stage is made of, beside what all stages have. */
    @FunctionalInterface
    interface Shape {
        /** The stage as it runs. */
        StagePlan plan(Common common);
    }

    /** What all stages have. */
    record Common(String uid, String name, SourcePlan source, ErrorPolicy errorPolicy, List<OutputPlan> outputs) {}

    StageBuilder(String operator, Supplier<SourcePlan> source, Shape shape) {
        this.operator = operator;
        this.source = source;
        this.shape = shape;
    }

    void uid(String newUid) {
        checkNotBuilt();
        if (uid != null) {
            throw PipelineDefinitionException.uidGivenTwice(uid, newUid);
        }
        uid = PipelineBuilder.checkName("uid", newUid);
    }

    void name(String newName) {
        checkNotBuilt();
        name = newName;
    }

    void errorPolicy(ErrorPolicy policy) {
        checkNotBuilt();
        errorPolicy = policy;
    }

    void sideOutput(OutputTag<?> tag) {
        checkNotBuilt();
        OutputTag<?> before = sideOutputs.putIfAbsent(tag.getId(), tag);
        if (before != null && before.getType() != tag.getType()) {
            throw PipelineDefinitionException.sideOutputOfTwoClasses(before, tag);
        }
    }

    /** Late elements go to this side output, so they would be lost without a sink. */
    void requireSink(OutputTag<?> lateOutput) {
        sideOutput(lateOutput);
        lateOutputs.add(lateOutput);
    }

    void output(OutputPlan output) {
        checkNotBuilt();
        outputs.add(output);
    }

    private void checkNotBuilt() {
        if (built) {
            throw PipelineDefinitionException.changedTooLate(uid == null ? operator : uid);
        }
    }

    StagePlan build() {
        built = true;
        SourcePlan stageSource = source.get();
        if (uid == null) {
            throw operator.equals(SINK_OPERATOR)
                    ? PipelineDefinitionException.missingUidOfSink(stageSource.stream())
                    : PipelineDefinitionException.missingUid(stageSource.stream(), operator);
        }
        if (outputs.isEmpty()) {
            throw PipelineDefinitionException.noSink(uid);
        }
        for (OutputTag<?> tag : lateOutputs) {
            if (outputs.stream().noneMatch(output -> tag.equals(output.sideOutput()))) {
                throw PipelineDefinitionException.noSinkForLateData(uid, tag);
            }
        }
        return shape.plan(new Common(uid, name == null ? uid : name, stageSource, errorPolicy, List.copyOf(outputs)));
    }
}
