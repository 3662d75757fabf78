package io.millrace;

import io.millrace.state.StateTtlConfig;
import io.millrace.window.WindowAssigner;
import java.time.Duration;

/** A pipeline that cannot be built: thrown while it is defined, before any record is read. */
public final class PipelineDefinitionException extends MillraceException {
    private static final long serialVersionUID = 1L;

    PipelineDefinitionException(String message) {
        super(message);
    }

    static PipelineDefinitionException missingUidOfSink(String stream) {
        return new PipelineDefinitionException("The stage that writes the elements of stream '" + stream
                + "' into rows has no uid, so its place in the stream could not be found again after a change of the"
                + " pipeline. Add .uid(\"a-stable-name\") behind sinkTo(...).");
    }

    static PipelineDefinitionException sharedTable(String table, String uid, String otherUid) {
        return new PipelineDefinitionException(
                "The stages '" + otherUid + "' and '" + uid + "' both write table '" + table
                        + "', and one of them has no state: the rows carry its fence, which the other would overwrite or obey."
                        + " Give each a table of its own.");
    }

    static PipelineDefinitionException otherKey(String table, Object key, Object otherKey) {
        return new PipelineDefinitionException("Two sinks describe the key of table '" + table + "' differently: "
                + otherKey + " and " + key + ". A table has one key; describe it in the same way.");
    }

    static PipelineDefinitionException missingUid(String stream, String operator) {
        return new PipelineDefinitionException("The stage '" + operator + "' on stream '" + stream
                + "' keeps state but has no uid, so its state could not be found again after a change of the pipeline."
                + " Add .uid(\"a-stable-name\") behind " + operator + "(...).");
    }

    static PipelineDefinitionException duplicateUid(String uid) {
        return new PipelineDefinitionException("Two stages have the uid '" + uid
                + "', so each would overwrite the state of the other. Give each stage a uid of its own.");
    }

    static PipelineDefinitionException sharedFunction(String uid) {
        return new PipelineDefinitionException("The function object of stage '" + uid
                + "' is used by another stage too, but it can hold the state of one only. Make a new object for each"
                + " stage.");
    }

    static PipelineDefinitionException changedTooLate(String operator) {
        return new PipelineDefinitionException(
                "The stage '" + operator
                        + "' is changed after define() has ended, when the pipeline is built already. Define it completely there.");
    }

    static PipelineDefinitionException uidGivenTwice(String before, String now) {
        return new PipelineDefinitionException("The stage with uid '" + before + "' was given a second uid '" + now
                + "'. Call .uid(...) once a stage.");
    }

    static PipelineDefinitionException badName(String what, String actual) {
        return new PipelineDefinitionException("The " + what + " '" + actual
                + "' is not allowed: 1 to 64 letters, digits, '_', '.' or '-' are, beginning with a letter or digit.");
    }

    static PipelineDefinitionException badStream(String actual) {
        return new PipelineDefinitionException(
                "The stream name '" + actual + "' is not one of Kinesis: 1 to 128 letters, digits, '_', '.' or '-'.");
    }

    static PipelineDefinitionException unknownType(String operator) {
        return new PipelineDefinitionException("The type of the elements before " + operator
                + "(...) is not known, since Java erases the types of lambdas. Add .returns(YourType.class)"
                + " or .returns(aSerde) directly before it.");
    }

    static PipelineDefinitionException timestampsAssignedTwice() {
        return new PipelineDefinitionException(
                "assignTimestampsAndWatermarks(...) is called twice on one stream. Call it"
                        + " once, where the elements have their event time.");
    }

    static PipelineDefinitionException windowWithoutEventTime(String windows) {
        return new PipelineDefinitionException(
                "The elements that are cut into " + windows + " have no watermark, so no window"
                        + " would ever close. Add .assignTimestampsAndWatermarks(WatermarkStrategy.<T>forBoundedOutOfOrderness("
                        + "Duration...).withTimestampAssigner(...)) before keyBy(...).");
    }

    static PipelineDefinitionException badLateness(Duration lateness) {
        return new PipelineDefinitionException(
                "allowedLateness(...) is " + lateness + "; PT0S to " + WindowAssigner.SIZE_MAX
                        + " are allowed. Take the longest time by which elements come behind the watermark and still count.");
    }

    static PipelineDefinitionException badElementsMax(int elementsMax) {
        return new PipelineDefinitionException("process(...) may keep " + elementsMax + " elements a window; 1 to "
                + WindowedStream.ELEMENTS_MAX + " are allowed. All windows of a key share a cell of 400 KB.");
    }

    static PipelineDefinitionException noSinkForLateData(String uid, OutputTag<?> tag) {
        return new PipelineDefinitionException(
                "The late elements of stage '" + uid + "' go to the side output '" + tag.getId()
                        + "', which has no sink, so they would be lost. Add getSideOutput(...).sinkTo(...) for it, or leave"
                        + " sideOutputLateData(...) out: then they are counted.");
    }

    static PipelineDefinitionException unknownAccumulator(Class<?> function) {
        return new PipelineDefinitionException(
                "The accumulator of " + function.getName() + " is not known from its class: a"
                        + " class that implements AggregateFunction<In, Accumulator, Out> with an Accumulator without type arguments"
                        + " tells it. Add the accumulator's class or serde: aggregate(function, Accumulator.class).");
    }

    static PipelineDefinitionException deduplicatedTwice() {
        return new PipelineDefinitionException(
                "deduplicate(...) is called twice on one stream of keys, where each would"
                        + " need ids of its own. Call it once, with an id that is made of both.");
    }

    static PipelineDefinitionException badDeduplication(Duration within) {
        return new PipelineDefinitionException("deduplicate(...) is asked to remember ids for " + within
                + "; PT0.001S to " + StateTtlConfig.TIME_TO_LIVE_MAX + " are allowed. Take the longest time after which"
                + " producers still retry.");
    }

    static PipelineDefinitionException noSink(String uid) {
        return new PipelineDefinitionException("The stage '" + uid
                + "' has no sink, so nobody could see its results. Add .sinkTo(DynamoDbSink.rows(...)) to it.");
    }

    static PipelineDefinitionException sideOutputOfTwoClasses(OutputTag<?> before, OutputTag<?> now) {
        return new PipelineDefinitionException("The side output '" + before.getId() + "' of one stage is used with two"
                + " classes, " + before.getType().getName() + " and "
                + now.getType().getName()
                + ". Tags are told apart by their ids: give one of them another id.");
    }

    static PipelineDefinitionException settingOnSideOutput(String setting, OutputTag<?> tag) {
        return new PipelineDefinitionException("." + setting + "(...) is called on the side output '" + tag.getId()
                + "', which is a part of its stage and has none of its own. Call it on the stream that process(...)"
                + " returned, before getSideOutput(...).");
    }

    static PipelineDefinitionException noStage(String pipeline) {
        return new PipelineDefinitionException("The pipeline '" + pipeline + "' defines no stage. A stage is"
                + " fromKinesis(...).keyBy(...).process(...) or .reduce(...), with a uid and a sink.");
    }

    static PipelineDefinitionException alreadyBuilt(String pipeline) {
        return new PipelineDefinitionException("The pipeline '" + pipeline
                + "' was built already: define() must not keep the builder and use it later.");
    }
}
