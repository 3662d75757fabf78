package io.millrace.aws.internal;

import io.millrace.internal.engine.EngineRules;
import io.millrace.internal.engine.RowEngine;
import io.millrace.internal.engine.StageEngine;
import io.millrace.internal.plan.RowStagePlan;
import io.millrace.internal.plan.StagePlan;
import java.util.Set;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/**
 * What a function instance keeps from one invocation to the next: the stage's engine and the ways to the tables and the stream.
 * Used by one invocation at a time.
 */
public final class StageRuntime {
    final String pipeline;
    final StageWork stage;
    final ControlTable control;
    final KinesisClient kinesis;
    final RetryingRequest reads;
    final LaneTable lanes;
    final StageItems stageItems;
    final StreamRetention retention;
    final DeadLetterTable deadLetters;
    final Contiguity contiguity;
    final DueIndex dueIndex;
    final SweepLeases leases;
    final IoExecutor io;
    final Surroundings surroundings;
    final OperatorDecisions decisions;
    final ShellRules rules;

    public StageRuntime(
            String pipeline,
            StagePlan plan,
            EngineRules engineRules,
            TableNames tables,
            DynamoDbClient dynamoDb,
            KinesisClient kinesis,
            IoExecutor io,
            Surroundings surroundings,
            OperatorDecisions decisions,
            ShellRules rules) {
        Backoff backoff = new Backoff(surroundings);
        this.dueIndex = new DueIndex(dynamoDb, tables.state(), new RetryingRequest(backoff));
        this.leases = new SweepLeases(dynamoDb, tables.control(), surroundings);
        this.pipeline = pipeline;
        this.io = io;
        this.surroundings = surroundings;
        this.decisions = decisions;
        this.rules = rules;
        this.control = new ControlTable(dynamoDb, tables.control(), surroundings);
        this.kinesis = kinesis;
        this.reads = new RetryingRequest(backoff);
        this.stageItems = new StageItems(dynamoDb, tables.control(), new RetryingRequest(backoff), rules);
        this.lanes = new LaneTable(dynamoDb, tables.control(), new RetryingRequest(backoff), rules);
        this.deadLetters = new DeadLetterTable(dynamoDb, tables.deadLetters(), surroundings, rules);
        BatchReads reads = new BatchReads(dynamoDb, backoff);
        this.retention = new StreamRetention(kinesis, surroundings.clock());
        if (plan instanceof RowStagePlan rows) {
            RowEngine engine = new RowEngine(rows, surroundings::nonce, engineRules);
            RowWrites writes = new RowWrites(retention, surroundings, rules);
            this.stage = new RowWork(
                    engine, new RowTable(reads, io, engine, rules), new FencedRowCommit(dynamoDb, writes, rules));
        } else {
            UnitCommit commit = new UnitCommit(dynamoDb, tables.state(), deadLetters, retention, surroundings, rules);
            this.stage = new KeyedWork(
                    new StageEngine(plan, surroundings::nonce, engineRules),
                    new CellTable(reads, tables.state(), io, surroundings.clock()),
                    commit,
                    new RedriveCommit(dynamoDb, commit, surroundings, rules),
                    surroundings);
        }
        this.contiguity = new Contiguity(kinesis, new RetryingRequest(backoff), rules);
    }

    /** The stage that runs. */
    StagePlan plan() {
        return stage.plan();
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
