package io.millrace.simulation;

import io.millrace.MillraceException;
import io.millrace.aws.internal.RowMutants;
import io.millrace.aws.internal.ShellMutants;
import io.millrace.aws.internal.ShellRules;
import io.millrace.aws.internal.TimeMutants;
import io.millrace.aws.internal.WriteMutants;
import io.millrace.internal.engine.EngineMutants;
import io.millrace.internal.engine.EngineRules;
import io.millrace.internal.engine.FencedRowMutants;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** One rule of the protocol broken, which a simulation must catch. Immutable. */
public final class Mutant {
    private static final List<Mutant> ALL = List.of(
            ofEngine(
                    "no-fence",
                    EngineMutants::fenceNotRaised,
                    "A unit raises its lane's entry of the fence; here the fence is never raised."),
            ofEngine(
                    "fence-not-consulted",
                    EngineMutants::fenceNotConsulted,
                    "A record that the fence covers is not run again; here it is."),
            ofEngine(
                    "fence-compared-as-strings",
                    EngineMutants::fenceComparedAsStrings,
                    "Positions are compared with the fence as numbers; here as strings of digits."),
            ofEngine(
                    "fence-without-sub-sequence",
                    EngineMutants::fenceWithoutSubSequence,
                    "A fence knows user records inside an aggregate; here Kinesis records only."),
            ofEngine(
                    "fence-asked-by-redrive",
                    EngineMutants::fenceAskedByRedrive,
                    "A redrive does not ask the cell's fence; here it does."),
            ofShell(
                    "redrive-outside-the-transaction",
                    WriteMutants::redriveOutsideTheTransaction,
                    "A dead letter is closed together with the cells that absorb it; here before them."),
            ofShell(
                    "contiguity-read-behind-an-aggregate",
                    ShellMutants::readBehindTheAggregate,
                    "A cursor inside an aggregate is read at; here behind the aggregate."),
            ofShell(
                    "letter-put-before-the-cursor",
                    ShellMutants::letterPutBeforeTheCursor,
                    "A dead letter without a cell commits with the cursor that passes its record; here before it."),
            ofEngine(
                    "fence-without-lane",
                    EngineMutants::fenceWithoutLane,
                    "A fence has a position a lane; here one for all lanes."),
            ofShell(
                    "fence-without-stream",
                    ShellMutants::laneWithoutStream,
                    "A lane is a shard of one stream; here fences know the shard's number only."),
            ofEngine(
                    "fence-entry-dropped",
                    EngineMutants::fenceEntriesDropped,
                    "Entries of the fence stay while their shard can deliver; here a unit drops those of other lanes."),
            ofEngine(
                    "fence-raised-too-far",
                    EngineMutants::fenceRaisedToWhatWasMet,
                    "The fence is raised to the last record absorbed; here to the last one that was met."),
            ofEngine(
                    "version-as-counter",
                    EngineMutants::versionAsCounter,
                    "A cell's version is a nonce; here a counter, which starts again when the cell was deleted."),
            ofShell(
                    "no-version-condition",
                    WriteMutants::versionNotCompared,
                    "A cell is written under the version that was read; here under its fence only."),
            ofEngine(
                    "effects-of-throwing-record-kept",
                    EngineMutants::uncommittedContentKept,
                    "What is in memory is discarded when a record throws; here the records before it run over it."),
            ofEngine(
                    "condemned-record-run-again",
                    EngineMutants::condemnedRecordRun,
                    "A record that is given up meets no user code; here it does."),
            ofShell(
                    "cursor-compared-as-strings",
                    ShellMutants::cursorComparedAsStrings,
                    "Positions are compared with the cursor as numbers; here as strings of digits."),
            ofShell(
                    "cursor-before-commit",
                    ShellMutants::advancedBeforeCommit,
                    "The cursor is advanced when the units are committed; here before."),
            ofShell(
                    "cursor-set-back",
                    ShellMutants::cursorSetBack,
                    "Cursors only rise; here an invocation that ends late sets its own."),
            ofShell(
                    "lane-record-without-compare-and-set",
                    ShellMutants::laneRecordOverwritten,
                    "A change of the lane's record is a compare-and-set; here it is a plain put."),
            ofShell(
                    "contiguity-not-checked",
                    ShellMutants::contiguityNotChecked,
                    "The stream proves that no record is missing before a batch; here nothing does."),
            ofShell(
                    "contiguity-not-checked-at-the-beginning",
                    ShellMutants::beginningNotChecked,
                    "A lane's first batch begins with its first record; here with any."),
            ofShell(
                    "contiguity-one-empty-read",
                    ShellMutants::emptyReadTakenAsTip,
                    "An empty answer short of the tip proves nothing; here it counts as the tip."),
            ofShell(
                    "gap-accepted-without-dead-letter",
                    ShellMutants::gapNotRecorded,
                    "Going on over a gap leaves a dead letter that names it; here it leaves nothing."),
            ofShell(
                    "open-units-acknowledged",
                    ShellMutants::openUnitsAcknowledged,
                    "What is left undone at the end is returned to Lambda; here it counts as done."),
            ofShell(
                    "failed-record-acknowledged",
                    ShellMutants::failedRecordAcknowledged,
                    "The first record that is not done is returned to Lambda; here nothing is."),
            ofShell(
                    "going-on-behind-poison",
                    ShellMutants::goneOnBehindFailure,
                    "Nothing runs behind a record that fails; here it is passed over."),
            ofShell(
                    "failed-condition-taken-as-committed",
                    WriteMutants::failedConditionTakenAsCommitted,
                    "A failed condition is a question that the old item answers; here it counts as success."),
            ofShell(
                    "failed-condition-taken-as-conflict-only",
                    WriteMutants::failedConditionTakenAsConflict,
                    "A failed condition can be the write's own, applied before; here it is always another's."),
            ofShell(
                    "transaction-conflict-taken-as-duplicate",
                    WriteMutants::transactionConflictTakenAsCommitted,
                    "A conflict of transactions is tried again; here it counts as a twin's success."),
            ofShell(
                    "throttle-taken-as-own-fault",
                    WriteMutants::throttleTakenAsOwnFault,
                    "Throttling is waited out; here it is the record's fault."),
            ofShell(
                    "unknown-outcome-taken-as-committed",
                    WriteMutants::unknownOutcomeTakenAsCommitted,
                    "A write without an answer is repeated; here it counts as applied."),
            ofShell(
                    "rows-outside-the-transaction",
                    WriteMutants::rowsOutsideTheTransaction,
                    "Rows commit with their cell; here behind it, one by one."),
            ofShell(
                    "dead-letter-outside-the-transaction",
                    WriteMutants::deadLettersOutsideTheTransaction,
                    "A dead letter commits with the cell that covers it; here behind it."),
            ofShell(
                    "dead-letter-without-fence",
                    WriteMutants::deadLettersWithoutFence,
                    "A dead letter moves the fence past its record; here the cell stays as it is."),
            ofShell(
                    "undecodable-dropped",
                    ShellMutants::undecodableDropped,
                    "What cannot be decoded becomes a dead letter; here it is dropped."),
            ofShell(
                    "undecodable-put-behind-the-cursor",
                    ShellMutants::undecodablePutBehindTheCursor,
                    "The dead letter of what cannot be decoded is put before the cursor covers it; here behind that."),
            ofShell(
                    "attempts-counted-after-user-code",
                    ShellMutants::attemptsCountedAfterUserCode,
                    "An attempt is counted before user code runs; here behind it."),
            ofShell(
                    "attempt-not-taken-back",
                    ShellMutants::attemptNotTakenBack,
                    "A throttle, a conflict or the end of the time takes the attempt back; here it counts."),
            ofShell(
                    "batch-never-isolated",
                    ShellMutants::batchNeverIsolated,
                    "A batch that was begun too often runs record by record; here it runs together for ever."),
            ofShell(
                    "bystander-given-up",
                    ShellMutants::bystanderBlamed,
                    "An attempt counts against a record that is alone; here the batch's beginnings count too."),
            ofShell(
                    "whole-record-given-up",
                    ShellMutants::wholeRecordCondemned,
                    "Only the failed key's part of a record is given up; here the other keys' parts are too."),
            ofShell(
                    "keyed-mark-ignored",
                    ShellMutants::keyedMarkIgnored,
                    "A record that was given up without its keys cannot run any more; here a zombie goes on with it."),
            ofShell(
                    "keyed-mark-not-written",
                    ShellMutants::keyedMarkNotWritten,
                    "It is noted that a record's keys are known before the function runs; here it is not."),
            ofShell(
                    "unkeyed-given-up-at-once",
                    ShellMutants::unkeyedGivenUpAtOnce,
                    "A record without known keys is given up after 3 deaths at least; here as the policy says."),
            ofShell(
                    "tombstone-expires-at-once",
                    ShellMutants::tombstoneExpiresAtOnce,
                    "A tombstone stays for the stream's retention and a day; here it may be deleted at once."),
            ofEngine(
                    "late-by-the-stage-alone",
                    EngineMutants::lateByTheStageAlone,
                    "What is late is decided on the cell's watermark, too; here on the one that the invocation saw."),
            ofShell(
                    "late-by-its-own-lane",
                    TimeMutants::lateByItsOwnLane,
                    "What is late is decided on the watermark of all lanes; here on that of its own."),
            ofEngine(
                    "cell-watermark-set-back",
                    EngineMutants::cellWatermarkSetBack,
                    "A cell's watermark only rises; here it is that of who wrote last."),
            ofShell(
                    "watermark-before-commits",
                    TimeMutants::watermarkBeforeCommits,
                    "A lane's watermark is stored when its records are committed; here before."),
            ofEngine("timer-fired-twice", EngineMutants::timerFiredTwice, "A timer goes when it fires; here it stays."),
            ofShell(
                    "sweep-without-version",
                    TimeMutants::sweepWithoutVersion,
                    "A sweep writes a cell under the version that was read; here without a condition."),
            ofShell(
                    "silent-lane-forgotten",
                    TimeMutants::silentLaneForgotten,
                    "A lane holds the watermark before it has spoken; here from its first record on."),
            ofShell(
                    "lanes-taken-as-complete",
                    TimeMutants::lanesTakenAsComplete,
                    "An item that is written last tells whether all lanes are known; here nothing does."),
            ofShell(
                    "idle-by-silence",
                    TimeMutants::idleBySilence,
                    "A lane is idle by the proof that it is empty; here by its silence."),
            ofShell(
                    "idle-as-a-flag",
                    TimeMutants::idleAsFlag,
                    "An idle lane's own watermark is raised; here it does not count until it wakes."),
            ofShell(
                    "parent-finished-before-its-children",
                    TimeMutants::finishedBeforeChildren,
                    "A lane is finished when its children have records; here before."),
            ofShell(
                    "parent-finished-by-a-child",
                    TimeMutants::childTakenAtItsWord,
                    "A child's batch waits for the proof that its parents are finished; here it is the proof."),
            ofShell(
                    "parent-finished-without-proof",
                    TimeMutants::finishedWithoutProof,
                    "A closed shard's lane is finished when nothing is left behind its cursor; here at once."),
            ofEngine(
                    "row-fence-as-one-pair",
                    FencedRowMutants::onePairForAllLanes,
                    "A row without a cell has a position a lane; here one pair of lane and position."),
            ofEngine(
                    "row-fence-not-counted",
                    FencedRowMutants::rowFenceNeverCounted,
                    "A row's fence counts in the generation that wrote it; here in none."),
            ofEngine(
                    "row-version-as-counter",
                    FencedRowMutants::rowVersionAsCounter,
                    "A row's version is a nonce; here a counter, which starts again when its stub was deleted."),
            ofShell(
                    "no-row-version-condition",
                    RowMutants::rowVersionNotCompared,
                    "A row without a cell is written under the version that was read; here under its fence only."),
            ofShell(
                    "record-without-cells-given-up-at-once",
                    RowMutants::givenUpWithoutCellsAtOnce,
                    "A record without cells is given up after 3 deaths at least; here as the policy says."),
            ofEngine(
                    "last-change-of-a-row-only",
                    FencedRowMutants::lastChangeOnly,
                    "Changes of a row in one write are merged in their order; here the last one replaces the others."),
            ofEngine(
                    "set-behind-a-delete-as-set",
                    FencedRowMutants::setBehindDeleteStaysSet,
                    "A set behind a delete is a put of what is set; here a set over the row that was there."),
            ofShell(
                    "deleted-row-without-marks",
                    RowMutants::deletedRowWithoutMarks,
                    "A deleted row leaves a stub; here a row without attributes."),
            ofShell(
                    "stub-marks-kept-by-a-set",
                    RowMutants::stubMarksKept,
                    "A set of a deleted row takes the stub's marks away; here it leaves them."));

    private final String name;
    private final String rule;
    private final Supplier<EngineRules> engine;
    private final Supplier<ShellRules> shell;

    private Mutant(String name, String rule, Supplier<EngineRules> engine, Supplier<ShellRules> shell) {
        this.name = name;
        this.rule = rule;
        this.engine = engine;
        this.shell = shell;
    }

    private static Mutant ofEngine(String name, Supplier<EngineRules> rules, String rule) {
        return new Mutant(name, rule, rules, () -> ShellRules.PROTOCOL);
    }

    private static Mutant ofShell(String name, Supplier<ShellRules> rules, String rule) {
        return new Mutant(name, rule, () -> EngineRules.PROTOCOL, rules);
    }

    /** All mutants, those of a part of the protocol beside each other. */
    public static List<Mutant> all() {
        return ALL;
    }

    /**
     * The mutant of a name.
     *
     * @throws MillraceException if there is none
     */
    public static Mutant named(String name) {
        return ALL.stream()
                .filter(mutant -> mutant.name.equals(name))
                .findFirst()
                .orElseThrow(() -> new MillraceException("There is no mutant '" + name + "'. There are "
                        + ALL.stream().map(Mutant::name).collect(Collectors.joining(", ")) + "."));
    }

    /** The name, as the command line takes it. */
    public String name() {
        return name;
    }

    /** What the protocol demands, and what this does instead. */
    public String rule() {
        return rule;
    }

    /** The rules of one function instance's engine: new ones at each call, since some remember what they met. */
    public EngineRules engineRules() {
        return engine.get();
    }

    /** The rules of one function instance's shell. */
    public ShellRules shellRules() {
        return shell.get();
    }

    @Override
    public String toString() {
        return name;
    }
}
