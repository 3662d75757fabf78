package io.millrace.aws;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import io.millrace.MillraceException;
import io.millrace.aws.internal.Deadline;
import io.millrace.aws.internal.StageRuntime;
import io.millrace.aws.internal.Tick;
import io.millrace.internal.plan.StagePlan;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Lambda function that keeps a stage's time going where no batch does it, called by a schedule once a minute: shards are
 * discovered before they speak and finished when they are over, idle ones stop holding the watermark, and timers fire whose
 * keys get no records. One function for each stage that uses timers or event time.
 *
 * <p>Configured by the environment variables of {@link MillraceFunction}, or by a {@link Builder}; what the schedule sends is
 * not looked at. A tick that fails, dies or runs out of time leaves nothing half done: the next one goes on. Ticks may run at
 * the same time, and beside invocations. One instance serves one invocation at a time, as Lambda does.
 */
public final class TickHandler implements RequestHandler<Map<String, Object>, TickReport> {
    private static final Logger LOG = LoggerFactory.getLogger(TickHandler.class);

    private final String pipeline;
    private final StagePlan stage;
    private final StageRuntime runtime;
    private final AtomicBoolean busy = new AtomicBoolean();

    /** The function as its environment variables configure it; what Lambda calls. */
    public TickHandler() {
        this(new Builder().settings(new FunctionSettings(System.getenv())));
    }

    private TickHandler(Builder builder) {
        this.stage = builder.stagePlan();
        this.runtime = builder.runtime(stage);
        this.pipeline = builder.pipelineName();
    }

    /** A builder without a pipeline yet. */
    public static Builder builder() {
        return new Builder();
    }

    /** The function that a given environment configures; for tests and local runs. */
    public static TickHandler ofEnvironment(Map<String, String> environment) {
        return new TickHandler(new Builder().settings(new FunctionSettings(environment)));
    }

    /** The stage that it keeps going, as it was built. */
    public StagePlan stage() {
        return stage;
    }

    /**
     * Runs one tick.
     *
     * @param event what the schedule sends; not looked at
     * @throws MillraceException if AWS refuses requests or goes on failing; what was committed stays, and the next tick does the
     *     rest
     */
    @Override
    public TickReport handleRequest(Map<String, Object> event, Context context) {
        return run("Tick", context, Tick::run);
    }

    /**
     * Ends the stage's input, for runs over a bounded stream: the watermark becomes {@link
     * io.millrace.time.WatermarkStrategy#END_OF_INPUT}, and all event-time timers fire, so all windows close. That is final:
     * what the stage gets later is late for everything. When the report says that the sweep is not complete, call it again;
     * repeating it changes nothing that is done.
     *
     * @throws MillraceException if a shard is not proven to be committed up to the stream's tip; nothing has changed then. Also
     *     if timers set new ones each time that they fire
     */
    public TickReport endOfInput(Context context) {
        return run("End of input", context, Tick::endOfInput);
    }

    /** Whether the stage's input was ended, so that it must not be run further. */
    public boolean isEnded() {
        return new Tick(runtime, new Deadline(() -> Integer.MAX_VALUE), newReport()).isEnded();
    }

    /**
     * The stage's watermark, in milliseconds since the epoch: {@link io.millrace.time.WatermarkStrategy#NO_WATERMARK} if it has
     * none yet.
     */
    public long watermark() {
        return new Tick(runtime, new Deadline(() -> Integer.MAX_VALUE), newReport()).watermark();
    }

    private BatchReport newReport() {
        return new BatchReport(stage.uid(), "tick");
    }

    private TickReport run(String what, Context context, Function<Tick, Tick.Outcome> work) {
        if (!busy.compareAndSet(false, true)) {
            throw new IllegalStateException("This instance already runs a tick. Make one instance for each that runs at"
                    + " the same time, as Lambda does.");
        }
        try {
            BatchReport counts = newReport();
            Tick tick = new Tick(runtime, new Deadline(context::getRemainingTimeInMillis), counts);
            TickReport report = new TickReport(work.apply(tick), counts);
            LOG.atInfo()
                    .addKeyValue("pipeline", pipeline)
                    .addKeyValue("stage", stage.uid())
                    .addKeyValue("watermark", report.getWatermark())
                    .addKeyValue("lanesDiscovered", report.getLanesDiscovered())
                    .addKeyValue("lanesFinished", report.getLanesFinished())
                    .addKeyValue("lanesRaised", report.getLanesRaised())
                    .addKeyValue("timersFired", report.getTimersFired())
                    .addKeyValue("timersFailed", report.getTimersFailed())
                    .addKeyValue("deadLetters", report.getDeadLetters())
                    .addKeyValue("sweepComplete", report.isSweepComplete())
                    .log("{} done.", what);
            return report;
        } catch (RuntimeException e) {
            LOG.atError()
                    .addKeyValue("pipeline", pipeline)
                    .addKeyValue("stage", stage.uid())
                    .setCause(e)
                    .log("{} failed.", what);
            throw e;
        } finally {
            busy.set(false);
        }
    }

    /** Builds a {@link TickHandler} in code. Not thread-safe. */
    public static final class Builder extends EntryBuilder<Builder> {
        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /**
         * Builds the function and opens the stage's code.
         *
         * @throws MillraceException if the pipeline cannot work, or the stage is not in it
         */
        public TickHandler build() {
            return new TickHandler(this);
        }
    }
}
