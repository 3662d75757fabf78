package io.millrace;

import io.millrace.internal.plan.OutputPlan;
import io.millrace.internal.plan.SourcePlan;
import io.millrace.internal.plan.StagePlan;
import io.millrace.internal.plan.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A stage while it is defined. */
final class StageBuilder {
    private final String operator;
    private final KeyedStream.Keying keying;
    private final KeyedProcessFunction<Object, Object, Object> function;
    private final List<OutputPlan> outputs = new ArrayList<>();
    private final Map<String, OutputTag<?>> sideOutputs = new HashMap<>();
    private @Nullable String uid;
    private @Nullable String name;
    private ErrorPolicy errorPolicy = ErrorPolicy.fail();
    private boolean built;

    StageBuilder(String operator, KeyedStream.Keying keying, KeyedProcessFunction<Object, Object, Object> function) {
        this.operator = operator;
        this.keying = keying;
        this.function = function;
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
        SourcePlan source = keying.source().get();
        if (uid == null) {
            throw PipelineDefinitionException.missingUid(source.stream(), operator);
        }
        if (outputs.isEmpty()) {
            throw PipelineDefinitionException.noSink(uid);
        }
        return new StagePlan(
                uid,
                name == null ? uid : name,
                source,
                keying.steps(),
                keying.selector(),
                keying.codec(),
                keying.deduplication(),
                function,
                errorPolicy,
                List.copyOf(outputs),
                Topology.fingerprint(source, keying.steps(), keying.selector(), keying.codec()));
    }
}
