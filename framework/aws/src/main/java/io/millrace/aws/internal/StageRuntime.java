package io.millrace.aws.internal;

import io.millrace.internal.engine.StageEngine;
import java.util.Set;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/**
 * What a function instance keeps from one invocation to the next: the engine and the ways to the tables and the stream.
 * Used by one invocation at a time.
 */
public final class StageRuntime {
    final String pipeline;
    final StageEngine engine;
    final ControlTable control;
    final LaneTable lanes;
    final CellTable cells;
    final UnitCommit commit;
    final DeadLetterTable deadLetters;
    final Contiguity contiguity;
    final IoExecutor io;
    final Surroundings surroundings;
    final OperatorDecisions decisions;
    final ShellRules rules;

    public StageRuntime(
            String pipeline,
            StageEngine engine,
            TableNames tables,
            DynamoDbClient dynamoDb,
            KinesisClient kinesis,
            IoExecutor io,
            Surroundings surroundings,
            OperatorDecisions decisions,
            ShellRules rules) {
        Backoff backoff = new Backoff(surroundings);
        this.pipeline = pipeline;
        this.engine = engine;
        this.io = io;
        this.surroundings = surroundings;
        this.decisions = decisions;
        this.rules = rules;
        this.control = new ControlTable(dynamoDb, tables.control(), surroundings);
        this.lanes = new LaneTable(dynamoDb, tables.control(), new RetryingRequest(backoff), rules);
        this.cells = new CellTable(dynamoDb, tables.state(), io, backoff);
        this.deadLetters = new DeadLetterTable(dynamoDb, tables.deadLetters(), surroundings);
        this.commit = new UnitCommit(
                dynamoDb,
                tables.state(),
                deadLetters,
                new StreamRetention(kinesis, surroundings.clock()),
                surroundings,
                rules);
        this.contiguity = new Contiguity(kinesis, new RetryingRequest(backoff), rules);
    }

    /**
     * What an operator has decided explicitly.
     *
     * @param acceptedGaps gaps to go on over, as the error message words them
     * @param acceptedTopologies topologies whose unfinished batches this code may finish
     */
    public record OperatorDecisions(Set<String> acceptedGaps, Set<String> acceptedTopologies) {
        /** Nothing is decided. */
        public static final OperatorDecisions NONE = new OperatorDecisions(Set.of(), Set.of());
    }
}
