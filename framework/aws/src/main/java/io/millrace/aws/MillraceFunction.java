package io.millrace.aws;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import io.millrace.MillraceException;
import io.millrace.aws.internal.BatchInvocation;
import io.millrace.aws.internal.Deadline;
import io.millrace.aws.internal.LaneBatch;
import io.millrace.aws.internal.StageRuntime;
import io.millrace.aws.internal.StageRuntime.OperatorDecisions;
import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.Position;
import io.millrace.internal.plan.StagePlan;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The Lambda function of a stage: one class for all pipelines. Its event source mapping must report batch item failures
 * and have parallelization factor 1.
 *
 * <p>Configured by environment variables: {@code MILLRACE_PIPELINE} (the class; required), {@code MILLRACE_STAGE} (the
 * uid; required if there are several stages), {@code MILLRACE_CONTROL_TABLE}, {@code MILLRACE_STATE_TABLE} and
 * {@code MILLRACE_DEAD_LETTER_TABLE} (default: the pipeline's name with {@code -control}, {@code -state},
 * {@code -dead-letters}), {@code MILLRACE_ACCEPT_GAP} and {@code MILLRACE_ACCEPT_TOPOLOGY} (an operator's decisions, as
 * error messages word them), {@code MILLRACE_LOG_LEVEL}. The {@link Builder} does the same in code.
 *
 * <p>A batch that ends in an exception, a time-out or a kill is delivered again by Lambda; what was committed of it is
 * recognised and not counted again. One instance serves one invocation at a time, as Lambda does.
 */
public final class MillraceFunction implements RequestHandler<KinesisEvent, StreamsEventResponse> {
    private static final Logger LOG = LoggerFactory.getLogger(MillraceFunction.class);

    private final String pipeline;
    private final StagePlan stage;
    private final StageRuntime runtime;
    private final BatchListener listener;
    private final AtomicBoolean busy = new AtomicBoolean();

    /** The function as its environment variables configure it; what Lambda calls. */
    public MillraceFunction() {
        this(builder(new FunctionSettings(System.getenv())));
    }

    private MillraceFunction(Builder builder) {
        this.stage = builder.stagePlan();
        this.runtime = builder.runtime(stage);
        this.pipeline = builder.pipelineName();
        this.listener = builder.listener;
    }

    private static Builder builder(FunctionSettings settings) {
        Builder builder = builder().settings(settings);
        builder.decisions = settings.decisions();
        return builder;
    }

    /** A builder without a pipeline yet. */
    public static Builder builder() {
        return new Builder();
    }

    /** The function that a given environment configures; for tests and local runs. */
    public static MillraceFunction ofEnvironment(Map<String, String> environment) {
        return new MillraceFunction(builder(new FunctionSettings(environment)));
    }

    /** The stage that it runs, as it was built; for tests that look at its functions. */
    public StagePlan stage() {
        return stage;
    }

    /**
     * Processes one batch.
     *
     * @return the first record that is not done, or no failure
     * @throws MillraceException if the batch cannot be processed at all; Lambda delivers it again
     */
    @Override
    public StreamsEventResponse handleRequest(KinesisEvent event, Context context) {
        if (!busy.compareAndSet(false, true)) {
            throw new IllegalStateException("This instance already runs an invocation. Make one instance for each"
                    + " invocation that runs at the same time, as Lambda does.");
        }
        try {
            return process(LaneBatch.of(event), context);
        } finally {
            busy.set(false);
        }
    }

    private StreamsEventResponse process(LaneBatch batch, Context context) {
        if (!batch.stream().equals(stage.source().stream())) {
            throw new MillraceException("The event comes from stream " + batch.stream() + ", but stage '" + stage.uid()
                    + "' reads " + stage.source().stream() + ". Correct the event source mapping.");
        }
        BatchReport report = new BatchReport(stage.uid(), batch.stream() + "/" + batch.shardId());
        try {
            Deadline deadline = new Deadline(context::getRemainingTimeInMillis);
            Optional<Position> failed = new BatchInvocation(runtime, batch, deadline, report).run();
            log(LOG.atInfo(), batch, report).log("Batch processed.");
            listener.onBatch(report, null);
            return new StreamsEventResponse(failed.map(position -> new StreamsEventResponse.BatchItemFailure(
                            position.sequenceNumber().digits()))
                    .map(List::of)
                    .orElse(List.of()));
        } catch (Throwable e) {
            log(LOG.atError(), batch, report).setCause(e).log("Batch failed.");
            listener.onBatch(report, e);
            throw e;
        }
    }

    private LoggingEventBuilder log(LoggingEventBuilder event, LaneBatch batch, BatchReport report) {
        List<InputRecord> records = batch.records();
        LoggingEventBuilder with = event.addKeyValue("pipeline", pipeline)
                .addKeyValue("stage", stage.uid())
                .addKeyValue("lane", report.lane())
                .addKeyValue("firstSequenceNumber", records.get(0).position())
                .addKeyValue(
                        "lastSequenceNumber", records.get(records.size() - 1).position());
        for (BatchReport.Count count : BatchReport.Count.values()) {
            if (report.get(count) > 0) {
                with = with.addKeyValue(count.name().toLowerCase(Locale.ROOT), report.get(count));
            }
        }
        for (BatchReport.Maximum maximum : BatchReport.Maximum.values()) {
            if (report.get(maximum) > 0) {
                with = with.addKeyValue(maximum.name().toLowerCase(Locale.ROOT) + "_max", report.get(maximum));
            }
        }
        return report.failedAt() == null ? with : with.addKeyValue("failedAt", report.failedAt());
    }

    /** Builds a {@link MillraceFunction} in code. Not thread-safe. */
    public static final class Builder extends EntryBuilder<Builder> {
        private BatchListener listener = (report, error) -> {};

        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /** Hears of each invocation. Default: nobody. */
        public Builder listener(BatchListener newListener) {
            listener = newListener;
            return this;
        }

        /** Gaps to go on over, as the error message of {@link LaneGapException} words them. Default: none. */
        public Builder acceptGaps(Set<String> gaps) {
            decisions = new OperatorDecisions(Set.copyOf(gaps), decisions.acceptedTopologies());
            return this;
        }

        /** Topologies whose unfinished batches this code may finish. Default: none. */
        public Builder acceptTopologies(Set<String> topologies) {
            decisions = new OperatorDecisions(decisions.acceptedGaps(), Set.copyOf(topologies));
            return this;
        }

        /**
         * Builds the function and opens the stage's code.
         *
         * @throws MillraceException if the pipeline cannot work, or the stage is not in it
         */
        public MillraceFunction build() {
            return new MillraceFunction(this);
        }
    }
}
