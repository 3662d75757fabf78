package io.millrace.aws.internal;

import io.millrace.MillraceException;
import io.millrace.aws.LaneGapException;
import io.millrace.aws.UnfinishedParentException;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.Position;
import org.jspecify.annotations.Nullable;

/** The errors of the shell, each with the actual values and what to do. */
final class ShellErrors {
    private ShellErrors() {}

    static MillraceException superseded(@Nullable Throwable cause) {
        return new MillraceException(
                "A row was written by a newer generation: this invocation began before a restore"
                        + " and stops. The next one reads the new generation; nothing to do.",
                cause);
    }

    static MillraceException refused(String code, Throwable cause) {
        return new MillraceException(
                "DynamoDB refused a request with " + code + ": " + cause.getMessage()
                        + " Check that the tables exist and that the function's role may use them.",
                cause);
    }

    static MillraceException stopped(String pipeline, String reason) {
        return new MillraceException("The pipeline '" + pipeline + "' is stopped by its preflight check: " + reason);
    }

    static MillraceException tooManyRetries(String what, int attempts, @Nullable Throwable cause) {
        return new MillraceException(
                what + " did not succeed in " + attempts + " attempts"
                        + (cause == null ? "" : ", at last because of: " + cause.getMessage())
                        + ". Lambda delivers a batch again; a command can be repeated. If this goes on, look for"
                        + " throttling of the table.",
                cause);
    }

    static MillraceException otherTopology(Lane lane, Position first, String theirs, String ours) {
        return new MillraceException(
                "The batch of lane " + lane + " at " + first + " was begun by other code (topology "
                        + theirs + ", this code is " + ours
                        + "), which may compute other keys: finishing it could count records"
                        + " twice. Deploy the code that began it until the batch is done, or set MILLRACE_ACCEPT_TOPOLOGY="
                        + theirs + " if both compute the same keys.");
    }

    static UnfinishedParentException unfinishedParent(
            Lane child, Lane parent, @Nullable Position cursor, LaneTail tail) {
        String behind = cursor == null ? "not even its beginning" : "up to " + cursor;
        String reason = switch (tail.kind()) {
            case RECORDS -> "the stream's next record behind it is " + tail.first();
            case TIP -> "the shard is not closed, or was not read to its end";
            case CLOSED_END, GONE -> "the shards that came of it are not listed yet";
        };
        String wayOut = tail.kind() == LaneTail.Kind.RECORDS
                ? " If nothing delivers the parent's records, the event source mapping discarded them (finite retries or"
                        + " record age), was started too late, or is an old one: deliver them again (a new mapping from before"
                        + " them), or go on without them by MILLRACE_ACCEPT_GAP=" + GapDecision.toEnd(parent, cursor)
                        + ", which leaves a dead letter that names the range."
                : "";
        return new UnfinishedParentException("Lane " + child + " has a batch before its parent, lane " + parent
                + ", is finished: that is committed " + behind + ", and " + reason
                + ". The batch is delivered again until the parent is done." + wayOut);
    }

    static LaneGapException gap(Lane lane, @Nullable Position cursor, Position first, @Nullable Position found) {
        String behind = cursor == null ? "its beginning" : cursor.toString();
        String reason = found == null
                ? "the stream shows no record behind it (trimmed, or another stream)"
                : "the stream's next record behind it is " + found;
        String decision = GapDecision.of(lane, cursor, first);
        return new LaneGapException(
                "Records of lane " + lane + " are missing: it is committed up to " + behind + ", the batch begins at "
                        + first + ", but " + reason + ". The event source mapping discarded records (finite retries or"
                        + " record age), was started too late, or is an old one. Deliver them again (a new mapping from"
                        + " before them), or go on without them by MILLRACE_ACCEPT_GAP=" + decision
                        + ", which leaves a dead letter that names the range.");
    }
}
