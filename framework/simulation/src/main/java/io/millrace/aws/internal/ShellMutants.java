package io.millrace.aws.internal;

import io.millrace.ErrorPolicy;
import io.millrace.internal.engine.Condemned;
import io.millrace.internal.engine.DeadLetter;
import io.millrace.internal.engine.InputRecord;
import io.millrace.internal.engine.Lane;
import io.millrace.internal.engine.LaneRecord;
import io.millrace.internal.engine.Position;
import io.millrace.internal.engine.RecordFailure;
import io.millrace.time.WatermarkStrategy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;

/**
 * Shells that break one rule each of lanes, attempts and acknowledgements. A comment says which interleaving makes the
 * result wrong. {@link WriteMutants} has those of the writes of cells.
 */
public final class ShellMutants {
    private ShellMutants() {}

    /** Fences do not tell streams apart. Wrong when a stage moves to another stream: what has lower numbers is lost. */
    public static ShellRules laneWithoutStream() {
        return new ShellRules() {
            @Override
            Lane lane(PipelineControl control, String stream, String shardId) {
                return new Lane(0, stream, shardId);
            }
        };
    }

    /**
     * Positions are compared with the cursor as strings. Wrong when a sequence number has more digits than the one before
     * it: "10" counts as committed behind "9", and is lost.
     */
    public static ShellRules cursorComparedAsStrings() {
        return new ShellRules() {
            @Override
            boolean isCommitted(LaneRecord lane, Position position) {
                Position cursor = lane.cursor();
                return cursor != null && cursor.toString().compareTo(position.toString()) >= 0;
            }
        };
    }

    /** No proof that nothing is missing. Wrong when Lambda discarded records, or a mapping was started too late. */
    public static ShellRules contiguityNotChecked() {
        return new ShellRules() {
            @Override
            boolean isContiguous(@Nullable Position cursor, Position first, Optional<Position> found) {
                return true;
            }
        };
    }

    /**
     * What lies behind the cursor in its own aggregate is not looked for. Wrong when the cursor is inside of one, and Lambda
     * discarded the rest of it.
     */
    public static ShellRules readBehindTheAggregate() {
        return new ShellRules() {
            @Override
            Optional<Position> firstBehindInside(Position cursor, List<InputRecord> aggregate) {
                return Optional.empty();
            }
        };
    }

    /**
     * A dead letter without a cell is put first, and the cursor moved afterwards. Wrong when the process dies between the two,
     * and the next attempt succeeds: the record is a dead letter, and absorbed.
     */
    public static ShellRules letterPutBeforeTheCursor() {
        return new ShellRules() {
            @Override
            void advance(LaneSession session, InputRecord last, long watermark, List<DeadLetter> letters) {
                letters.forEach(letter -> session.deadLetters.put(letter, session.stage, session.generation));
                super.advance(session, last, watermark, List.of());
            }
        };
    }

    /** A lane's first batch is taken as its beginning. Wrong when the shard's first records were never delivered. */
    public static ShellRules beginningNotChecked() {
        return new ShellRules() {
            @Override
            boolean isContiguous(@Nullable Position cursor, Position first, Optional<Position> found) {
                return cursor == null || super.isContiguous(cursor, first, found);
            }
        };
    }

    /** An empty answer is taken as the tip. Wrong when one comes short of it: the batch fails over a gap that is none. */
    public static ShellRules emptyReadTakenAsTip() {
        return new ShellRules() {
            @Override
            boolean isAtTip(GetRecordsResponse answer) {
                return answer.records().isEmpty();
            }
        };
    }

    /** A gap that is gone over leaves no dead letter. Wrong whenever a gap is accepted: its records are nowhere. */
    public static ShellRules gapNotRecorded() {
        return new ShellRules() {
            @Override
            void recordGap(
                    DeadLetterTable deadLetters,
                    Lane lane,
                    @Nullable Position cursor,
                    Position first,
                    String stage,
                    long generation) {
                // That is the mutant: nothing is left of the gap.
            }
        };
    }

    /** The lane is advanced first. Wrong when the process dies, or a record throws, before the units are committed. */
    public static ShellRules advancedBeforeCommit() {
        return new ShellRules() {
            @Override
            ChunkResult commitAndAdvance(ChunkRun chunk, Consumer<ChunkResult> advance) {
                advance.accept(new ChunkResult(
                        chunk.records.size(), null, List.of(), WatermarkStrategy.NO_WATERMARK, 0, true));
                return super.commitAndAdvance(chunk, advance);
            }
        };
    }

    /**
     * Units that are left undone count as done. Wrong when time or rounds end before they are committed: after throttles,
     * conflicts, slow code.
     */
    public static ShellRules openUnitsAcknowledged() {
        return new ShellRules() {
            @Override
            ChunkResult commitAndAdvance(ChunkRun chunk, Consumer<ChunkResult> advance) {
                ChunkResult result = chunk.run();
                ChunkResult taken = result.failure() == null
                        ? new ChunkResult(
                                chunk.records.size(), null, result.undecodable(), result.maxTimestamp(), 0, true)
                        : result;
                advance.accept(taken);
                return taken;
            }
        };
    }

    /** A record that fails is passed over. Wrong for each record that throws: it is neither absorbed nor a dead letter. */
    public static ShellRules goneOnBehindFailure() {
        return new ShellRules() {
            @Override
            ChunkResult commitAndAdvance(ChunkRun chunk, Consumer<ChunkResult> advance) {
                ChunkResult result = chunk.run();
                ChunkResult taken = result.failure() == null
                        ? result
                        : new ChunkResult(
                                result.done() + 1,
                                null,
                                result.undecodable(),
                                result.maxTimestamp(),
                                0,
                                result.cleanBehind());
                advance.accept(taken);
                return taken;
            }
        };
    }

    /** What cannot be decoded leaves no dead letter. Wrong for each such record: it is nowhere. */
    public static ShellRules undecodableDropped() {
        return new ShellRules() {
            @Override
            ChunkResult commitAndAdvance(ChunkRun chunk, Consumer<ChunkResult> advance) {
                ChunkResult result = chunk.run();
                advance.accept(withoutUndecodable(result));
                return result;
            }
        };
    }

    /**
     * The dead letters of what cannot be decoded are put when the lane is advanced. Wrong when the process dies between:
     * the records are behind the cursor, and nowhere.
     */
    public static ShellRules undecodablePutBehindTheCursor() {
        return new ShellRules() {
            @Override
            ChunkResult commitAndAdvance(ChunkRun chunk, Consumer<ChunkResult> advance) {
                ChunkResult result = chunk.run();
                advance.accept(withoutUndecodable(result));
                advance.accept(result);
                return result;
            }
        };
    }

    private static ChunkResult withoutUndecodable(ChunkResult result) {
        return new ChunkResult(
                result.done(), result.failure(), List.of(), result.maxTimestamp(), 0, result.cleanBehind());
    }

    /** Nothing is returned to Lambda. Wrong when a record fails or time ends: what is not done is never delivered again. */
    public static ShellRules failedRecordAcknowledged() {
        return new ShellRules() {
            @Override
            Optional<Position> batchItemFailure(Position firstUndone) {
                return Optional.empty();
            }
        };
    }

    /** The cursor is set, not raised. Wrong when a zombie ends behind its retry: the next batch meets a gap that is none. */
    public static ShellRules cursorSetBack() {
        return new ShellRules() {
            @Override
            LaneRecord advanced(LaneRecord lane, InputRecord last, long watermark) {
                LaneRecord raised = lane.advancedTo(last.position(), last.arrival());
                return new LaneRecord(
                        lane.version(),
                        last.position(),
                        last.arrival(),
                        raised.batch(),
                        raised.alone(),
                        raised.time(),
                        raised.lineage());
            }
        };
    }

    /**
     * The lane's record is put without a condition. Wrong when a zombie writes what it read before its retry went on: the
     * cursor goes back, marks of records are lost.
     */
    public static ShellRules laneRecordOverwritten() {
        return new ShellRules() {
            @Override
            void compareAndSet(PutItemRequest.Builder put, @Nullable String versionRead) {
                // That is the mutant: no condition.
            }
        };
    }

    /** A batch that was begun too often runs together again. Wrong when a record kills the process: it has no end. */
    public static ShellRules batchNeverIsolated() {
        return new ShellRules() {
            @Override
            boolean mustRunAlone(LaneRecord lane, Position position) {
                return lane.isTriedAlone(position);
            }
        };
    }

    /**
     * The beginnings of a whole batch count as attempts of its records. Wrong when a batch died for another reason, and the
     * process dies once while one of its records is alone: it is given up before its attempts are used up.
     */
    public static ShellRules bystanderBlamed() {
        return new ShellRules() {
            @Override
            LaneRecord begunAlone(LaneRecord lane, Position position, String topology) {
                LaneRecord begun = lane.beginAlone(position, topology);
                LaneRecord.BegunBatch batch = begun.batch();
                LaneRecord.AloneRecord alone = begun.alone();
                if (batch == null || alone == null || lane.isTriedAlone(position)) {
                    return begun;
                }
                return withAttempts(begun, alone, alone.attempts() + batch.begun());
            }
        };
    }

    private static LaneRecord withAttempts(LaneRecord lane, LaneRecord.AloneRecord alone, int attempts) {
        return new LaneRecord(
                lane.version(),
                lane.cursor(),
                lane.lastArrival(),
                lane.batch(),
                new LaneRecord.AloneRecord(
                        alone.position(), attempts, alone.open(), alone.keyed(), alone.givingUps(), alone.keyless()),
                lane.time(),
                lane.lineage());
    }

    /** An attempt is counted when user code has returned. Wrong when a record kills the process: it has no end. */
    public static ShellRules attemptsCountedAfterUserCode() {
        return new ShellRules() {
            @Override
            LaneRecord begunAlone(LaneRecord lane, Position position, String topology) {
                return lane.beginAlone(position, topology).attemptReleased(position);
            }

            @Override
            int attemptsOf(LaneRecord lane, Position position) {
                return lane.attemptsOf(position) + 1;
            }
        };
    }

    /**
     * An attempt counts however it ends. Wrong when a record that is alone meets throttles or conflicts: it is given up
     * though it neither threw nor killed the process.
     */
    public static ShellRules attemptNotTakenBack() {
        return new ShellRules() {
            @Override
            LaneRecord released(LaneRecord lane, Position position) {
                return lane;
            }
        };
    }

    /**
     * A record runs on though it was given up without its keys. Wrong when a zombie comes to its keys behind that: the
     * record is a dead letter, and absorbed.
     */
    public static ShellRules keyedMarkIgnored() {
        return new ShellRules() {
            @Override
            boolean mayRunKeyed(LaneSession session, Position position) {
                session.update(lane -> lane.keyed(position));
                return true;
            }
        };
    }

    /**
     * It is not noted that a record's keys could be computed. Wrong when the process dies several times behind its commit:
     * it becomes a dead letter without a key, and is absorbed.
     */
    public static ShellRules keyedMarkNotWritten() {
        return new ShellRules() {
            @Override
            boolean mayRunKeyed(LaneSession session, Position position) {
                return true;
            }
        };
    }

    /**
     * A record whose keys were never noted is given up by the policy alone. Wrong when the policy allows one attempt and the
     * process dies for another reason before the keys are noted: parts of it may be absorbed.
     */
    public static ShellRules unkeyedGivenUpAtOnce() {
        return new ShellRules() {
            @Override
            boolean isGivenUp(LaneRecord.AloneRecord alone, ErrorPolicy policy) {
                return alone.keyless() || (alone.open() && policy.exhausted(alone.attempts()));
            }
        };
    }

    /** One key's failure condemns the whole record. Wrong for a record with several keys: all become dead letters. */
    public static ShellRules wholeRecordCondemned() {
        return new ShellRules() {
            @Override
            void condemn(Condemned condemned, RecordFailure failure, int attempts) {
                condemned.add(
                        new RecordFailure(failure.kind(), failure.position(), null, failure.getCause()), attempts);
            }
        };
    }

    /**
     * A tombstone may go at once. Wrong when a cell is emptied, its lane dies before its cursor, the tombstone is deleted,
     * and the batch is delivered again: its records are absorbed twice.
     */
    public static ShellRules tombstoneExpiresAtOnce() {
        return new ShellRules() {
            @Override
            Instant tombstoneExpiry(Instant now, Duration retention) {
                return now;
            }
        };
    }
}
