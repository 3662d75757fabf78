package io.millrace.aws;

import io.millrace.MillraceException;
import io.millrace.PipelineDefinition;
import io.millrace.aws.internal.StageRuntime.OperatorDecisions;
import io.millrace.aws.internal.TableNames;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A function's settings out of its environment variables. */
final class FunctionSettings {
    static final String PREFIX = "MILLRACE_";
    static final String PIPELINE = "MILLRACE_PIPELINE";
    static final String STAGE = "MILLRACE_STAGE";
    static final String CONTROL_TABLE = "MILLRACE_CONTROL_TABLE";
    static final String STATE_TABLE = "MILLRACE_STATE_TABLE";
    static final String DEAD_LETTER_TABLE = "MILLRACE_DEAD_LETTER_TABLE";
    static final String ACCEPT_GAP = "MILLRACE_ACCEPT_GAP";
    static final String ACCEPT_TOPOLOGY = "MILLRACE_ACCEPT_TOPOLOGY";
    static final String LOG_LEVEL = "MILLRACE_LOG_LEVEL";

    static final String CHECKPOINTS = "MILLRACE_CHECKPOINTS";
    static final String CHECKPOINTS_KEPT = "MILLRACE_CHECKPOINTS_KEPT";
    static final String CHECKPOINT_SEGMENTS = "MILLRACE_CHECKPOINT_SEGMENTS";
    static final String CHECKPOINT_READ_UNITS = "MILLRACE_CHECKPOINT_READ_UNITS";

    private static final Set<String> KNOWN = Set.of(
            PIPELINE,
            STAGE,
            CONTROL_TABLE,
            STATE_TABLE,
            DEAD_LETTER_TABLE,
            ACCEPT_GAP,
            ACCEPT_TOPOLOGY,
            LOG_LEVEL,
            CHECKPOINTS,
            CHECKPOINTS_KEPT,
            CHECKPOINT_SEGMENTS,
            CHECKPOINT_READ_UNITS);

    private final Map<String, String> environment;

    FunctionSettings(Map<String, String> environment) {
        this.environment = environment;
        TreeSet<String> unknown = environment.keySet().stream()
                .filter(name -> name.startsWith(PREFIX) && !KNOWN.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
        if (!unknown.isEmpty()) {
            throw new MillraceException("Unknown environment variables " + unknown + "; known are "
                    + new TreeSet<>(KNOWN) + ". Correct or remove them.");
        }
    }

    PipelineDefinition pipeline() {
        String className = environment.getOrDefault(PIPELINE, "");
        if (className.isBlank()) {
            throw new MillraceException("The environment variable " + PIPELINE
                    + " is not set. Set it to the class of the pipeline, such as com.example.OnTimeBoard.");
        }
        try {
            Object instance =
                    Class.forName(className.trim()).getDeclaredConstructor().newInstance();
            if (instance instanceof PipelineDefinition definition) {
                return definition;
            }
            throw new MillraceException(
                    PIPELINE + " is " + className + ", which does not implement PipelineDefinition.");
        } catch (ReflectiveOperationException e) {
            throw new MillraceException(
                    PIPELINE + " is " + className
                            + ", which cannot be loaded. It must be in the jar, public, with a public constructor without"
                            + " parameters.",
                    e);
        }
    }

    @Nullable
    String stage() {
        return environment.get(STAGE);
    }

    TableNames tables(String pipelineName) {
        TableNames defaults = TableNames.ofPipeline(pipelineName);
        return new TableNames(
                environment.getOrDefault(CONTROL_TABLE, defaults.control()),
                environment.getOrDefault(STATE_TABLE, defaults.state()),
                environment.getOrDefault(DEAD_LETTER_TABLE, defaults.deadLetters()));
    }

    OperatorDecisions decisions() {
        return new OperatorDecisions(list(ACCEPT_GAP), list(ACCEPT_TOPOLOGY));
    }

    /** The checkpoints of the pipeline, with AWS's own clients. */
    Checkpoints.Builder checkpoints() {
        PipelineDefinition pipeline = pipeline();
        Checkpoints.Builder builder = Checkpoints.builder()
                .pipeline(pipeline)
                .tables(tables(pipeline.name()))
                .segments(number(CHECKPOINT_SEGMENTS, Checkpoints.SEGMENTS_DEFAULT))
                .readUnitsPerSecond(number(CHECKPOINT_READ_UNITS, 0));
        String place = environment.getOrDefault(CHECKPOINTS, "");
        return place.isBlank() ? builder : builder.place(place);
    }

    int checkpointsKept() {
        return number(CHECKPOINTS_KEPT, CheckpointHandler.KEPT_DEFAULT);
    }

    private int number(String name, int otherwise) {
        String text = environment.getOrDefault(name, "").trim();
        try {
            return text.isEmpty() ? otherwise : Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new MillraceException(name + " is '" + text + "'; a whole number is expected.", e);
        }
    }

    private Set<String> list(String name) {
        return Arrays.stream(environment.getOrDefault(name, "").split(","))
                .map(String::trim)
                .filter(entry -> !entry.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }
}
