package io.millrace.simulation;

import io.millrace.MillraceException;
import io.millrace.aws.TickHandler;
import io.millrace.aws.TickReport;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.Surroundings;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The ticks of a simulation, and the end of its input: each in a process of its own beside the functions, which can die,
 * stand still and meet faults like any other, some of them two at once.
 */
final class Ticks {
    /** More attempts to end the input than any weather needs. */
    private static final int ENDINGS_MAX = 60;

    /** What ends an input is no function with a short time, but a command. */
    private static final Duration ENDING_TIMEOUT = Duration.ofMinutes(10);

    private final Scenario scenario;
    private final PostingRuns runs;
    private final Operator operator;
    private final VirtualClock clock;
    private final History history;
    private final Exercised exercised;
    private final SplittableRandom random;
    private final MutatedRules rules;
    private int left;
    private int endings;
    private boolean ended;

    Ticks(Simulation.Parts parts, Operator operator) {
        this.scenario = parts.scenario();
        this.runs = parts.runs();
        this.operator = operator;
        this.clock = parts.clock();
        this.history = parts.history();
        this.exercised = parts.exercised();
        this.random = parts.random().split();
        this.rules = parts.rules();
        StatementScenario statements = scenario.statements();
        this.left = statements == null ? 0 : statements.ticks();
        this.ended = statements == null;
    }

    /** Whether there are more to come at random moments. */
    boolean hasMore() {
        return left > 0;
    }

    /** Whether the input is ended, and swept to its end. */
    boolean isEnded() {
        return ended;
    }

    /** Begins a tick, or two at once. */
    void begin(SimulatedLambda lambda) {
        left--;
        int count = random.nextInt(3) == 0 ? 2 : 1;
        for (int i = 0; i < count; i++) {
            lambda.beginBeside(this::tick);
        }
    }

    private void tick(SimulatedProcess process) {
        exercised.count(Exercised.Event.TICKS);
        try {
            TickReport report = handler(process).handleRequest(Map.of(), context(scenario.functionTimeout()));
            history.trace(() -> "the tick of " + process + ": " + report);
        } catch (MillraceException e) {
            operator.onTickFailed(e);
        }
    }

    /** Ends the input of a stage that has nothing left to do; once more if an earlier attempt came to nothing. */
    void end(SimulatedLambda lambda) {
        if (++endings > ENDINGS_MAX) {
            operator.onNoEnd("the input is not ended after " + ENDINGS_MAX + " attempts");
        }
        lambda.beginBeside(process -> {
            try {
                TickReport report = handler(process).endOfInput(context(ENDING_TIMEOUT));
                history.trace(() -> "the end of the input, by " + process + ": " + report);
                ended |= report.isSweepComplete();
            } catch (MillraceException e) {
                // Another one changed a lane meanwhile, or bad weather: it is tried again.
                history.trace(() -> "the input is not ended: " + e);
            }
        });
    }

    private SimulatedContext context(Duration timeout) {
        return new SimulatedContext(clock, clock.instant().plus(timeout));
    }

    private TickHandler handler(SimulatedProcess process) {
        return rules.of(TickHandler.builder()
                        .pipeline(scenario.pipeline(Publisher.streams(scenario).get(0), runs))
                        .dynamoDb(SimulatedAws.DYNAMO_DB)
                        .kinesis(SimulatedAws.KINESIS)
                        .ioExecutor(new IoExecutor(new FiberExecutor(process)))
                        .surroundings(new Surroundings(
                                process.clock(),
                                random.split(),
                                millis -> SimulatedLambda.sleep(Duration.ofMillis(millis)))))
                .build();
    }
}
