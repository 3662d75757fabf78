package io.millrace.simulation;

import io.millrace.MillraceException;
import io.millrace.aws.DeadLetterFilter;
import io.millrace.aws.DeadLetters;
import io.millrace.aws.RedriveOutcome;
import io.millrace.aws.StoredDeadLetter;
import io.millrace.aws.internal.IoExecutor;
import io.millrace.aws.internal.Surroundings;
import io.millrace.local.internal.CallersThread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * The redrives of a simulation: each in a process of its own beside the functions, which can die, stand still and meet
 * faults like any other, some of them two at once at the same dead letter.
 */
final class Redrives {
    private final Scenario scenario;
    private final PostingRuns runs;
    private final Operator operator;
    private final SplittableRandom random;
    private final MutatedRules rules;

    Redrives(Simulation.Parts parts, Operator operator) {
        this.scenario = parts.scenario();
        this.runs = parts.runs();
        this.operator = operator;
        this.random = parts.random().split();
        this.rules = parts.rules();
    }

    /** Begins the redrive of an open dead letter, or two of the same. */
    void begin(SimulatedLambda lambda) {
        long choice = random.nextLong();
        int count = random.nextInt(3) == 0 ? 2 : 1;
        for (int i = 0; i < count; i++) {
            lambda.beginBeside(process -> redriveOne(process, new SplittableRandom(choice)));
        }
    }

    private void redriveOne(SimulatedProcess process, SplittableRandom choice) {
        try {
            DeadLetters letters = letters(
                    new IoExecutor(new FiberExecutor(process)),
                    new Surroundings(
                            process.clock(),
                            random.split(),
                            millis -> SimulatedLambda.sleep(Duration.ofMillis(millis))));
            List<StoredDeadLetter> open = open(letters);
            if (!open.isEmpty()) {
                letters.redrive(open.get(choice.nextInt(open.size())).id());
            }
        } catch (MillraceException e) {
            operator.onRedriveFailed(e);
        } catch (VirtualMachineError e) {
            // The record kills this process, too.
        }
    }

    /** Redrives all that is left, when all is quiet and the code is mended: nothing can keep it from being absorbed. */
    void redriveAll(VirtualClock clock) {
        runs.mend();
        DeadLetters letters =
                letters(new IoExecutor(new CallersThread()), new Surroundings(clock, random.split(), millis -> {}));
        for (StoredDeadLetter letter : open(letters)) {
            RedriveOutcome outcome = letters.redrive(letter.id());
            if (outcome.isLeftOpen() && !mayStayOpen(letter)) {
                operator.onLeftOpen(letter + " is left open by mended code: " + outcome);
            }
        }
    }

    private static boolean mayStayOpen(StoredDeadLetter letter) {
        return switch (letter.kind()) {
            case GAP, UNDECODABLE -> true;
            case PROCESS_KILLED, KEY_UNKNOWN -> letter.key() == null;
            default -> false;
        };
    }

    private static List<StoredDeadLetter> open(DeadLetters letters) {
        List<StoredDeadLetter> open = new ArrayList<>();
        letters.list(DeadLetterFilter.open()).forEach(open::add);
        return open;
    }

    private DeadLetters letters(IoExecutor io, Surroundings surroundings) {
        return rules.of(DeadLetters.builder()
                        .pipeline(scenario.pipeline(Publisher.streams(scenario).get(0), runs))
                        .dynamoDb(SimulatedAws.DYNAMO_DB)
                        .kinesis(SimulatedAws.KINESIS)
                        .ioExecutor(io)
                        .surroundings(surroundings))
                .build();
    }
}
