package io.millrace.aws.internal;

/** The names of a pipeline's own tables. */
public record TableNames(String control, String state, String deadLetters) {
    /** The names that a pipeline's tables have unless others are set. */
    public static TableNames ofPipeline(String pipeline) {
        return new TableNames(pipeline + "-control", pipeline + "-state", pipeline + "-dead-letters");
    }
}
