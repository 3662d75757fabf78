package io.millrace.local;

import io.millrace.local.ProcessChaos.Misfortune;
import io.millrace.local.internal.runtime.EnvironmentPool;
import io.millrace.local.internal.runtime.ExecutionEnvironment;
import io.millrace.local.internal.runtime.RuntimeAnswer;
import io.millrace.local.internal.runtime.RuntimeInvocation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One invocation that meets a misfortune. */
final class HarmedInvocation {
    private static final long START_MILLIS_TYPICAL = 800;
    private static final long STOPPED_MILLIS_MIN = 300;
    private static final long STOPPED_MILLIS_MAX = 2_000;

    private final ProcessFunctionInvoker function;
    private final EnvironmentPool pool;
    private final ProcessChaos chaos;

    HarmedInvocation(ProcessFunctionInvoker function, EnvironmentPool pool, ProcessChaos chaos) {
        this.function = function;
        this.pool = pool;
        this.chaos = chaos;
    }

    InvocationOutcome invoke(Misfortune misfortune, InvocationPayload payload, InvocationContext context)
            throws InterruptedException {
        return switch (misfortune) {
            case KILL_BEFORE_FIRST_EVENT -> killStarting(context);
            case KILL_DURING -> killDuring(payload, context);
            case KILL_AFTER_ANSWER -> killAfterAnswer(payload, context);
            case TIME_OUT, TIME_OUT_STOPPED -> timeOut(misfortune, payload, context);
        };
    }

    private InvocationOutcome killStarting(InvocationContext context) throws InterruptedException {
        ExecutionEnvironment environment = pool.start();
        await(environment.asked(), chaos.betweenMillis(0, START_MILLIS_TYPICAL));
        kill(environment, Misfortune.KILL_BEFORE_FIRST_EVENT, Misfortune.KILL_BEFORE_FIRST_EVENT);
        return killed(context);
    }

    private InvocationOutcome killDuring(InvocationPayload payload, InvocationContext context)
            throws InterruptedException {
        ExecutionEnvironment environment = pool.take();
        RuntimeInvocation invocation = function.submit(environment, payload, context);
        awaitBegin(invocation, context);
        boolean answered = await(invocation.answer(), chaos.killMillis());
        kill(environment, Misfortune.KILL_DURING, answered ? Misfortune.KILL_AFTER_ANSWER : Misfortune.KILL_DURING);
        return killed(context);
    }

    /** Lambda takes an invocation whose process dies after its answer for failed or not, as it comes. */
    private InvocationOutcome killAfterAnswer(InvocationPayload payload, InvocationContext context)
            throws InterruptedException {
        ExecutionEnvironment environment = pool.take();
        RuntimeInvocation invocation = function.submit(environment, payload, context);
        if (!await(invocation.answer(), context.remainingTimeMillis())) {
            kill(environment, Misfortune.KILL_AFTER_ANSWER, Misfortune.KILL_DURING);
            return killed(context);
        }
        RuntimeAnswer answer = invocation.answer().join();
        kill(environment, Misfortune.KILL_AFTER_ANSWER, Misfortune.KILL_AFTER_ANSWER);
        return chaos.toss() ? killed(context) : ProcessFunctionInvoker.outcomeOf(answer, payload, context);
    }

    private InvocationOutcome timeOut(Misfortune misfortune, InvocationPayload payload, InvocationContext context)
            throws InterruptedException {
        ExecutionEnvironment environment = pool.take();
        RuntimeInvocation invocation = function.submit(environment, payload, context);
        awaitBegin(invocation, context);
        if (await(invocation.answer(), chaos.timeOutMillis())) {
            // It was too fast. The answer gets lost, so that the batch comes again and there is another try.
            chaos.putBack(misfortune);
            pool.release(environment);
            return InvocationOutcome.exited("RequestId: " + context.requestId() + " The chaos lost the answer");
        }
        boolean stopped = misfortune == Misfortune.TIME_OUT_STOPPED && environment.stop();
        if (invocation.answer().isDone()) {
            // It answered while it was being stopped.
            chaos.putBack(misfortune);
            pool.kill(environment);
            return InvocationOutcome.exited("RequestId: " + context.requestId() + " The chaos lost the answer");
        }
        chaos.happened(stopped ? Misfortune.TIME_OUT_STOPPED : Misfortune.TIME_OUT);
        Duration pause = Duration.ofMillis(chaos.betweenMillis(STOPPED_MILLIS_MIN, STOPPED_MILLIS_MAX));
        pool.leaveRunning(environment, invocation, stopped ? pause : null);
        return new InvocationOutcome.TimedOut(context.timeout());
    }

    private void kill(ExecutionEnvironment environment, Misfortune planned, Misfortune actual)
            throws InterruptedException {
        if (pool.kill(environment)) {
            chaos.happened(actual);
        } else {
            chaos.putBack(planned);
        }
    }

    private static InvocationOutcome killed(InvocationContext context) {
        return InvocationOutcome.exited("RequestId: " + context.requestId()
                + " Error: Runtime exited with error: signal: killed (by the chaos)");
    }

    /** Waits until the process has the event, or has ended without. */
    private static void awaitBegin(RuntimeInvocation invocation, InvocationContext context)
            throws InterruptedException {
        await(CompletableFuture.anyOf(invocation.delivered(), invocation.answer()), context.remainingTimeMillis());
    }

    private static boolean await(CompletableFuture<?> future, long millis) throws InterruptedException {
        try {
            future.get(millis, TimeUnit.MILLISECONDS);
            return true;
        } catch (TimeoutException notYet) {
            return false;
        } catch (ExecutionException failure) {
            throw new IllegalStateException("This future never completes exceptionally", failure);
        }
    }
}
