package io.millrace.cli;

import io.millrace.aws.DeadLetters;
import picocli.CommandLine.Mixin;

/** What all commands on dead letters are told: of which pipeline, and where it runs. */
final class DeadLettersPlace {
    @Mixin
    private OperatedPipeline pipeline = new OperatedPipeline();

    boolean json() {
        return pipeline.json();
    }

    String pipeline() {
        return pipeline.name();
    }

    /** How the pipeline and the place are named in another command. */
    String arguments() {
        return pipeline.arguments();
    }

    /** What a command does with the dead letters. */
    @FunctionalInterface
    interface Work {
        int run(DeadLetters deadLetters) throws Exception;
    }

    /** Connects, does the work and closes the connections. */
    int work(Work work) throws Exception {
        return pipeline.work((found, clients) -> {
            DeadLetters.Builder builder = DeadLetters.builder().pipeline(found.definition());
            clients.ifPresent(given -> builder.dynamoDb(given.dynamoDb()).kinesis(given.kinesis()));
            return work.run(builder.build());
        });
    }
}
