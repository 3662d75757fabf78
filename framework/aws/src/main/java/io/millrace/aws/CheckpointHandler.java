package io.millrace.aws;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import io.millrace.MillraceException;
import io.millrace.aws.internal.Deadline;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Lambda function that takes a pipeline's checkpoints, by a schedule, and deletes old ones. A run ends before its time is
 * up; if the checkpoint is not complete then, the next run goes on with it. Configured by environment variables: the
 * pipeline and tables as those of {@link MillraceFunction}, {@code MILLRACE_CHECKPOINTS} (where they lie), {@code
 * MILLRACE_CHECKPOINTS_KEPT} (how many, {@value #KEPT_DEFAULT} by default), {@code MILLRACE_CHECKPOINT_SEGMENTS} and {@code
 * MILLRACE_CHECKPOINT_READ_UNITS} (a second; no limit by default).
 *
 * <p>Any number of instances may run at once; each instance is used by one thread at a time. A crash leaves nothing that counts.
 */
public final class CheckpointHandler implements RequestHandler<Map<String, Object>, CheckpointHandler.Report> {
    /** How many checkpoints are kept by default. */
    public static final int KEPT_DEFAULT = 5;

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointHandler.class);

    private final Checkpoints checkpoints;
    private final int kept;

    /** The function as its environment variables configure it; what Lambda calls. */
    public CheckpointHandler() {
        this(new FunctionSettings(System.getenv()));
    }

    private CheckpointHandler(FunctionSettings settings) {
        this(settings.checkpoints().build(), settings.checkpointsKept());
    }

    /** A function over checkpoints that are configured in code. */
    public CheckpointHandler(Checkpoints checkpoints, int kept) {
        if (kept < 1) {
            throw new MillraceException(kept + " checkpoints to keep; at least 1 must stay.");
        }
        this.checkpoints = checkpoints;
        this.kept = kept;
    }

    /**
     * What one run did.
     *
     * @param id of the checkpoint
     * @param complete whether it is complete; if not, the next run goes on with it
     * @param cells how many it has; 0 if it is not complete
     * @param bytes how large it is; 0 if it is not complete
     * @param deleted the ids of the old ones that were deleted
     */
    public record Report(String id, boolean complete, long cells, long bytes, List<String> deleted) {}

    /**
     * Takes a checkpoint, or goes on with one.
     *
     * @param event what the schedule sends; not looked at
     * @throws MillraceException if AWS refuses requests or goes on failing
     */
    @Override
    public Report handleRequest(Map<String, Object> event, Context context) {
        Checkpoints.Taken taken = checkpoints.take(new Deadline(context::getRemainingTimeInMillis));
        List<String> deleted = taken.checkpoint().isPresent() ? checkpoints.retain(kept) : List.of();
        Report report = new Report(
                taken.id(),
                taken.checkpoint().isPresent(),
                taken.checkpoint()
                        .map(checkpoint -> checkpoint.cells().values().stream()
                                .mapToLong(Long::longValue)
                                .sum())
                        .orElse(0L),
                taken.checkpoint().map(StoredCheckpoint::bytes).orElse(0L),
                deleted);
        LOG.atInfo()
                .addKeyValue("checkpoint", report.id())
                .addKeyValue("complete", report.complete())
                .addKeyValue("cells", report.cells())
                .addKeyValue("bytes", report.bytes())
                .addKeyValue("deleted", report.deleted().size())
                .log(report.complete() ? "Checkpoint done." : "Checkpoint to be gone on with.");
        return report;
    }
}
