package io.millrace.aws.internal;

import io.millrace.MillraceException;
import io.millrace.aws.RedriveOutcome;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Why dead letters are not redriven, each with what to do. */
public final class RedriveErrors {
    private RedriveErrors() {}

    static RedriveOutcome.Refused unknown(DeadLetterId id, long generation) {
        return new RedriveOutcome.Refused(
                "There is no dead letter " + id + " in the pipeline's current generation, " + generation
                        + ". Was it closed so long ago that it has expired? List the dead letters that there are.");
    }

    static RedriveOutcome.Refused gap(DeadLetterRow row) {
        return new RedriveOutcome.Refused("It stands for the records between " + row.after() + " and "
                + row.id().position() + ", which were never delivered, so there is no payload to redrive. If the"
                + " producer still has them, put them into the stream once more; then drop it.");
    }

    static RedriveOutcome.Refused perhapsPartlyAbsorbed() {
        return new RedriveOutcome.Refused("The process died with the whole record, before it was noted which keys it"
                + " has, or while it was given up. An earlier invocation may have committed some of its keys' parts, and"
                + " nothing tells which: a redrive could count them twice. Compare the state of its keys, then redrive it"
                + " with --even-if-partly-absorbed (in Java: redriveEvenIfPartlyAbsorbed), or drop it.");
    }

    static RedriveOutcome.Refused withoutState(DeadLetterId id) {
        return new RedriveOutcome.Refused("Its stage " + id.stage() + " has no state: its rows remember the lanes that"
                + " wrote them, and a redrive is none. Put the record into the stream once more, then drop the dead"
                + " letter.");
    }

    static RedriveOutcome.Refused unknownStream(String stream, List<String> sources) {
        return new RedriveOutcome.Refused("Its stream " + stream + " is none of the pipeline's sources " + sources
                + ". Was the control item written by hand?");
    }

    static RedriveOutcome.Refused otherKeys(DeadLetterRow row, Collection<String> keys) {
        return new RedriveOutcome.Refused("It is the part of key '" + row.key() + "', and this code gives the record "
                + (keys.isEmpty() ? "no key" : "the keys " + keys)
                + ". The parts of other keys are committed or dead letters of their own. Drop it if the key was wrong, and"
                + " put the record into the stream once more if another key shall have it.");
    }

    static RedriveOutcome.Refused contended(int rounds) {
        return new RedriveOutcome.Refused(
                "Other writers of its keys came first " + rounds + " times. Try again when the stream is quieter.");
    }

    static MillraceException tooManyRetries(String what, DeadLetterId id, int attempts, @Nullable Throwable cause) {
        return new MillraceException(
                what + " the dead letter " + id + " did not succeed in " + attempts
                        + " attempts. Look for throttling of the table of dead letters, then try again.",
                cause);
    }

    /** The pipeline has no such stage any more. */
    public static RedriveOutcome.Refused unknownStage(String stage, Collection<String> stages) {
        return new RedriveOutcome.Refused("The pipeline has no stage '" + stage + "', only " + stages
                + ". Take the code that has it, or drop the dead letter.");
    }
}
