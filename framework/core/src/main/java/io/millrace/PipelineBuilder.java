package io.millrace;

import io.millrace.internal.item.Row;
import io.millrace.internal.plan.KeyedStagePlan;
import io.millrace.internal.plan.OutputPlan;
import io.millrace.internal.plan.PipelinePlan;
import io.millrace.internal.plan.RowStagePlan;
import io.millrace.internal.plan.StagePlan;
import io.millrace.serde.RecordDecoder;
import io.millrace.serde.Serde;
import io.millrace.sink.DynamoDbSink;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** What a {@link PipelineDefinition} defines its stages on. Not thread-safe; of no use after {@code define}. */
public final class PipelineBuilder {
    private static final Pattern NAMES = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,63}");
    private static final Pattern STREAMS = Pattern.compile("[A-Za-z0-9_.-]{1,128}");

    private final String pipelineName;
    private final List<StageBuilder> stages = new ArrayList<>();
    private boolean built;

    private PipelineBuilder(String pipelineName) {
        this.pipelineName = pipelineName;
    }

    /**
     * Builds a pipeline; called by what runs it, not by user code.
     *
     * @throws PipelineDefinitionException if it cannot work, with what to change
     */
    public static PipelinePlan plan(PipelineDefinition definition) {
        PipelineBuilder builder = new PipelineBuilder(checkName("pipeline name", definition.name()));
        definition.define(builder);
        return builder.build();
    }

    /**
     * Reads a Kinesis stream from its oldest record on, each record as one element. What the Kinesis Producer Library has
     * aggregated is taken apart before.
     *
     * @param stream its name
     * @param serde decodes a record's data; what it cannot decode becomes a dead letter unless
     *     {@link SourceStream#undecodable} says otherwise
     */
    public <T> SourceStream<T> fromKinesis(String stream, Serde<T> serde) {
        return fromKinesis(stream, RecordDecoder.of(serde));
    }

    /**
     * Reads a Kinesis stream from its oldest record on, each record as any number of elements. What the Kinesis Producer
     * Library has aggregated is taken apart before.
     *
     * @param stream its name
     * @param decoder decodes a record; what it cannot decode becomes a dead letter unless
     *     {@link SourceStream#undecodable} says otherwise
     */
    public <T> SourceStream<T> fromKinesis(String stream, RecordDecoder<T> decoder) {
        if (!STREAMS.matcher(stream).matches()) {
            throw PipelineDefinitionException.badStream(stream);
        }
        return new SourceStream<>(this, stream, decoder);
    }

    static String checkName(String what, String name) {
        if (!NAMES.matcher(name).matches()) {
            throw PipelineDefinitionException.badName(what, name);
        }
        return name;
    }

    void add(StageBuilder stage) {
        if (built) {
            throw PipelineDefinitionException.alreadyBuilt(pipelineName);
        }
        stages.add(stage);
    }

    private PipelinePlan build() {
        built = true;
        if (stages.isEmpty()) {
            throw PipelineDefinitionException.noStage(pipelineName);
        }
        Set<String> uids = new HashSet<>();
        Set<Object> functions = Collections.newSetFromMap(new IdentityHashMap<>());
        List<StagePlan> plans = new ArrayList<>();
        for (StageBuilder stage : stages) {
            StagePlan plan = stage.build();
            if (!uids.add(plan.uid())) {
                throw PipelineDefinitionException.duplicateUid(plan.uid());
            }
            if (plan instanceof KeyedStagePlan keyed && !functions.add(keyed.function())) {
                throw PipelineDefinitionException.sharedFunction(plan.uid());
            }
            plans.add(plan);
        }
        checkTables(plans);
        return new PipelinePlan(pipelineName, List.copyOf(plans));
    }

    /** A table has one key, and if a stage without state writes it, no other stage does. */
    private static void checkTables(List<StagePlan> plans) {
        Map<String, StagePlan> writers = new HashMap<>();
        Map<String, List<Row.Key>> keys = new HashMap<>();
        for (StagePlan plan : plans) {
            for (OutputPlan output : plan.outputs()) {
                String table = output.sink().table();
                StagePlan other = writers.putIfAbsent(table, plan);
                if (other != null && other != plan && (isStateless(other) || isStateless(plan))) {
                    throw PipelineDefinitionException.sharedTable(table, plan.uid(), other.uid());
                }
                List<Row.Key> key = keyOf(output.sink());
                List<Row.Key> otherKey = keys.putIfAbsent(table, key);
                if (otherKey != null && !otherKey.equals(key)) {
                    throw PipelineDefinitionException.otherKey(table, key, otherKey);
                }
            }
        }
    }

    private static boolean isStateless(StagePlan plan) {
        return plan instanceof RowStagePlan;
    }

    private static List<Row.Key> keyOf(DynamoDbSink<?> sink) {
        Row.Key sortKey = sink.sortKey();
        return sortKey == null ? List.of(sink.partitionKey()) : List.of(sink.partitionKey(), sortKey);
    }
}
