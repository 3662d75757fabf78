package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.internal.engine.LaneRecord.AloneRecord;
import io.millrace.internal.engine.LaneRecord.BegunBatch;
import java.time.Instant;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LaneRecordTest {
    private static final String CODE = "topology";
    private static final Instant ARRIVAL = Instant.EPOCH;

    private static Position at(int number) {
        return Position.of(Integer.toString(number));
    }

    private static LaneRecord begun(int first, int last) {
        return LaneRecord.unknown().begin(at(first), at(last), CODE);
    }

    private static LaneRecord failed(int position, int attempts) {
        return LaneRecord.unknown().failedAt(at(position), attempts, true, null, true, CODE);
    }

    @Test
    void theCursorOnlyRises() {
        LaneRecord at5 = LaneRecord.unknown().advancedTo(at(5), ARRIVAL);

        assertThat(at5.advancedTo(at(3), ARRIVAL)).isEqualTo(at5);
        assertThat(at5.covers(at(5))).isTrue();
        assertThat(at5.covers(at(6))).isFalse();
        assertThat(at5.advancedTo(at(10), ARRIVAL).cursor()).isEqualTo(at(10));
    }

    @Test
    void whatIsBegunTwiceAndNotFinishedRunsAlone() {
        LaneRecord once = begun(1, 10);
        LaneRecord twice = once.begin(at(1), at(10), CODE);

        assertThat(once.mustRunAlone(at(1))).isFalse();
        assertThat(twice.mustRunAlone(at(1))).isTrue();
        assertThat(twice.mustRunAlone(at(10))).isTrue();
        assertThat(twice.mustRunAlone(at(11))).isFalse();
    }

    @Test
    void onlyTheRecordsOfTheBegunBatchRunAlone() {
        LaneRecord twice = begun(5, 10).begin(at(5), at(10), CODE);

        assertThat(twice.mustRunAlone(at(4))).isFalse();
        assertThat(twice.mustRunAlone(at(5))).isTrue();
        assertThat(twice.topologyOf(at(4))).isNull();
        assertThat(twice.topologyOf(at(5))).isEqualTo(CODE);
        assertThat(twice.topologyOf(at(10))).isEqualTo(CODE);
        assertThat(twice.topologyOf(at(11))).isNull();
        assertThat(LaneRecord.unknown().mustRunAlone(at(5))).isFalse();
        assertThat(LaneRecord.unknown().topologyOf(at(5))).isNull();
    }

    @Test
    void aRecordThatFailedRunsAloneAndItsNeighboursDoNot() {
        LaneRecord failed = failed(5, 2);

        assertThat(failed.isTriedAlone(at(5))).isTrue();
        assertThat(failed.mustRunAlone(at(5))).isTrue();
        assertThat(failed.attemptsOf(at(5))).isEqualTo(2);
        for (int neighbour : new int[] {4, 6}) {
            assertThat(failed.isTriedAlone(at(neighbour))).isFalse();
            assertThat(failed.mustRunAlone(at(neighbour))).isFalse();
            assertThat(failed.attemptsOf(at(neighbour))).isZero();
        }
        assertThat(LaneRecord.unknown().attemptsOf(at(5))).isZero();
    }

    @Test
    void aBatchThatBeginsElsewhereIsAnother() {
        assertThat(begun(1, 10).begin(at(11), at(20), CODE).batch()).isEqualTo(new BegunBatch(at(11), at(20), 1, CODE));
        assertThat(begun(5, 10).begin(at(1), at(10), CODE).batch()).isEqualTo(new BegunBatch(at(1), at(10), 1, CODE));
    }

    @Test
    void theBatchStaysBegunWhileARecordOfItIsTriedAlone() {
        LaneRecord twice = begun(1, 10).begin(at(1), at(10), CODE);

        assertThat(twice.beginAlone(at(1), CODE).batch()).isEqualTo(new BegunBatch(at(1), at(10), 2, CODE));
        assertThat(twice.beginAlone(at(12), CODE).batch()).isEqualTo(new BegunBatch(at(1), at(12), 2, CODE));
        assertThat(LaneRecord.unknown().beginAlone(at(5), CODE).batch())
                .isEqualTo(new BegunBatch(at(5), at(5), 0, CODE));
    }

    @Test
    void aRecomposedBatchStillCounts() {
        LaneRecord halved = begun(1, 10).begin(at(1), at(5), CODE);
        assertThat(halved.batch()).isEqualTo(new BegunBatch(at(1), at(10), 2, CODE));
        assertThat(halved.advancedTo(at(5), ARRIVAL).mustRunAlone(at(6))).isTrue();

        LaneRecord longer = begun(1, 10).begin(at(1), at(15), CODE);
        assertThat(longer.batch()).isEqualTo(new BegunBatch(at(1), at(15), 2, CODE));
    }

    @Test
    void aBatchIsOverWhenTheCursorReachesItsLastRecord() {
        assertThat(begun(1, 10).advancedTo(at(9), ARRIVAL).batch()).isNotNull();
        assertThat(begun(1, 10).advancedTo(at(10), ARRIVAL).batch()).isNull();
        assertThat(failed(5, 1).advancedTo(at(4), ARRIVAL).alone()).isNotNull();
        assertThat(failed(5, 1).advancedTo(at(5), ARRIVAL).alone()).isNull();
    }

    @Test
    void anAttemptAloneIsOpenUntilItFailsOrIsReleased() {
        LaneRecord open = LaneRecord.unknown().beginAlone(at(5), CODE);
        assertThat(open.alone()).isEqualTo(new AloneRecord(at(5), 1, true, false, 0, false));
        assertThat(open.attemptReleased(at(5)).alone()).isEqualTo(new AloneRecord(at(5), 0, false, false, 0, false));
        assertThat(open.attemptReleased(at(5)).attemptReleased(at(5)).attemptsOf(at(5)))
                .as("released once only")
                .isZero();
        assertThat(open.attemptReleased(at(6))).isEqualTo(open);
        assertThat(open.failedAt(at(5), 1, true, null, true, CODE).alone())
                .isEqualTo(new AloneRecord(at(5), 1, false, true, 0, false));
    }

    @Test
    void aRecordThatFailedInItsBatchCanStillBeRunAndHasBeenGivenUpByNobody() {
        assertThat(failed(5, 1).alone()).isEqualTo(new AloneRecord(at(5), 1, false, true, 0, false));
    }

    @Test
    void aFailureCountsTheMostAttemptsThatAnyoneKnowsOf() {
        LaneRecord released = failed(5, 3).beginAlone(at(5), CODE).attemptReleased(at(5));

        assertThat(released.attemptsOf(at(5))).isEqualTo(3);
        assertThat(released.failedAt(at(5), 4, true, null, true, CODE).attemptsOf(at(5)))
                .isEqualTo(4);
    }

    @Test
    void aGivingUpIsReleasedOnceOnly() {
        LaneRecord begun = LaneRecord.unknown().beginAlone(at(5), CODE);
        LaneRecord released = begun.givingUp(at(5)).givingUpReleased(at(5));

        assertThat(released).isEqualTo(begun);
        assertThat(released.givingUpReleased(at(5))).isEqualTo(begun);
    }

    @Test
    void aZombiesFailureTakesNoAttemptBack() {
        LaneRecord twice = failed(5, 1).beginAlone(at(5), CODE);

        assertThat(twice.failedAt(at(5), 1, true, null, true, CODE).attemptsOf(at(5)))
                .isEqualTo(2);
    }

    @Test
    void whatIsBehindTheCursorChangesNothing() {
        LaneRecord at5 = LaneRecord.unknown().advancedTo(at(5), ARRIVAL);

        assertThat(at5.failedAt(at(5), 1, true, at(9), true, CODE)).isEqualTo(at5);
        assertThat(at5.stoppedAt(at(5), at(9), CODE)).isEqualTo(at5);
        assertThat(at5.keyed(at(5))).isEqualTo(at5);
        assertThat(at5.mayRunAlone(at(5))).isFalse();
    }

    @Test
    void keysThatWereKnownStayKnown() {
        LaneRecord again =
                LaneRecord.unknown().beginAlone(at(5), CODE).keyed(at(5)).beginAlone(at(5), CODE);

        assertThat(again.alone()).isEqualTo(new AloneRecord(at(5), 2, true, true, 0, false));
        assertThat(again.keyless(at(5), 3)).as("parts of it may be committed").isEqualTo(again);
    }

    @Test
    void keysAreKnownIfAnyAttemptComputedThem() {
        LaneRecord begun = LaneRecord.unknown().beginAlone(at(5), CODE);

        assertThat(keyedAfterFailure(begun, false)).isFalse();
        assertThat(keyedAfterFailure(begun, true)).isTrue();
        assertThat(keyedAfterFailure(begun.keyed(at(5)), false)).isTrue();
    }

    private static boolean keyedAfterFailure(LaneRecord record, boolean keyed) {
        AloneRecord alone = record.failedAt(at(5), 1, keyed, null, true, CODE).alone();
        return Objects.requireNonNull(alone).keyed();
    }

    @Test
    void aRecordMeetsTheFunctionOnlyIfItWasBegunAloneKeyedAndIsNotFinished() {
        LaneRecord begun = LaneRecord.unknown().beginAlone(at(5), CODE);

        assertThat(LaneRecord.unknown().mayRunAlone(at(5))).as("not begun").isFalse();
        assertThat(begun.mayRunAlone(at(5))).as("no key yet").isFalse();
        assertThat(begun.keyed(at(5)).mayRunAlone(at(5))).isTrue();
        assertThat(begun.keyed(at(5)).mayRunAlone(at(6))).as("another record").isFalse();
        assertThat(LaneRecord.unknown()
                        .advancedTo(at(5), ARRIVAL)
                        .beginAlone(at(5), CODE)
                        .keyed(at(5))
                        .mayRunAlone(at(5)))
                .as("finished by a twin")
                .isFalse();
    }

    @Test
    void nobodyRunsARecordThatIsDecidedToHaveNoKey() {
        LaneRecord decided = LaneRecord.unknown().beginAlone(at(5), CODE).keyless(at(5), 3);

        assertThat(decided.keyed(at(5)).mayRunAlone(at(5))).isFalse();
        assertThat(decided.beginAlone(at(5), CODE)).isEqualTo(decided);
        assertThat(LaneRecord.unknown().beginAlone(at(5), CODE).keyed(at(5)).mayRunAlone(at(5)))
                .isTrue();
    }

    @Test
    void aRecordWhoseKeysCannotBeComputedAgainIsGivenUpWithoutThemInTheEnd() {
        LaneRecord record = LaneRecord.unknown().beginAlone(at(5), CODE).keyed(at(5));
        for (int i = 0; i < 3; i++) {
            assertThat(record.keyless(at(5), 3)).isEqualTo(record);
            record = record.givingUp(at(5));
        }

        assertThat(record.givingUpReleased(at(5)).keyless(at(5), 3).mayRunAlone(at(5)))
                .isTrue();
        assertThat(record.keyless(at(5), 3).mayRunAlone(at(5))).isFalse();
    }

    @Test
    void aRecordMayBeKeylessUntilItsKeysAreKnownAndAgainWhenGivingItUpDoesNotEnd() {
        LaneRecord record = LaneRecord.unknown().beginAlone(at(5), CODE);
        assertThat(record.mayBeKeyless(at(5), 2)).isTrue();
        LaneRecord keyed = record.keyed(at(5));
        assertThat(keyed.mayBeKeyless(at(5), 2)).isFalse();
        assertThat(keyed.mayBeKeyless(at(6), 2)).as("another record").isTrue();
        assertThat(keyed.givingUp(at(5)).mayBeKeyless(at(5), 2)).isFalse();
        assertThat(keyed.givingUp(at(5)).givingUp(at(5)).mayBeKeyless(at(5), 2)).isTrue();
    }

    @Test
    void givingUpOfARecordThatATwinFinishedCountsNothing() {
        LaneRecord finished = LaneRecord.unknown().beginAlone(at(5), CODE).advancedTo(at(5), ARRIVAL);

        assertThat(finished.givingUp(at(5))).isEqualTo(finished);
        assertThat(finished.givingUpReleased(at(5))).isEqualTo(finished);
        assertThat(finished.keyless(at(5), 3)).isEqualTo(finished);
    }

    @Test
    void theMarkReachesAsFarAsAnythingCanBeCommitted() {
        assertThat(LaneRecord.unknown()
                        .failedAt(at(5), 1, true, at(9), true, CODE)
                        .batch())
                .isEqualTo(new BegunBatch(at(5), at(9), 0, CODE));
        assertThat(failed(5, 1).failedAt(at(5), 1, true, at(9), true, CODE).batch())
                .as("a zombie fails at it too, and has committed behind it")
                .isEqualTo(new BegunBatch(at(5), at(9), 0, CODE));
        assertThat(begun(1, 10).stoppedAt(at(4), at(6), CODE).batch())
                .as("an earlier attempt may have committed up to 10")
                .isEqualTo(new BegunBatch(at(4), at(10), 0, CODE));
        assertThat(LaneRecord.unknown().stoppedAt(at(4), at(6), CODE).batch())
                .isEqualTo(new BegunBatch(at(4), at(6), 0, CODE));
    }

    @Test
    void theRestOfABatchThatWasBegunTooOftenRunsAloneAfterAFailureToo() {
        LaneRecord failed = begun(1, 10)
                .begin(at(1), at(10), CODE)
                .beginAlone(at(1), CODE)
                .failedAt(at(1), 1, true, null, false, CODE);

        assertThat(failed.batch()).isEqualTo(new BegunBatch(at(1), at(10), 2, CODE));
        assertThat(failed.mustRunAlone(at(2))).isTrue();
    }

    @Test
    void aCleanFailureLeavesNoMarkAndAnyOtherLeavesOne() {
        assertThat(begun(1, 10).failedAt(at(3), 1, true, null, true, CODE).batch())
                .as("clean")
                .isNull();
        assertThat(begun(1, 10).failedAt(at(3), 1, true, at(10), true, CODE).batch())
                .as("this invocation committed behind it")
                .isEqualTo(new BegunBatch(at(3), at(10), 0, CODE));
        assertThat(begun(1, 10).failedAt(at(3), 1, true, null, false, CODE).batch())
                .as("an earlier attempt may have committed")
                .isEqualTo(new BegunBatch(at(3), at(10), 0, CODE));
        assertThat(begun(1, 10)
                        .begin(at(1), at(12), CODE)
                        .failedAt(at(3), 1, true, null, true, CODE)
                        .batch())
                .as("a twin has begun it too")
                .isEqualTo(new BegunBatch(at(3), at(12), 0, CODE));
        assertThat(LaneRecord.unknown()
                        .beginAlone(at(3), CODE)
                        .beginAlone(at(3), CODE)
                        .failedAt(at(3), 1, true, null, true, CODE)
                        .batch())
                .as("a twin tries it alone too")
                .isNotNull();
    }

    @Test
    void stoppingCountsNoBeginningButKeepsTheMark() {
        LaneRecord stopped = begun(1, 10).begin(at(1), at(10), CODE).stoppedAt(at(4), at(10), CODE);

        assertThat(stopped.batch()).isEqualTo(new BegunBatch(at(4), at(10), 0, CODE));
        assertThat(stopped.topologyOf(at(7))).isEqualTo(CODE);
        assertThat(stopped.mustRunAlone(at(4))).isFalse();
    }

    /** Whatever twins do in whatever order, the cursor rises, and attempts are taken back one by one at most. */
    @Test
    void anyOrderOfChangesKeepsTheBooks() {
        Random random = new Random(7);
        for (int run = 0; run < 200; run++) {
            LaneRecord record = LaneRecord.unknown();
            for (int change = 0; change < 50; change++) {
                Position position = at(1 + random.nextInt(12));
                Position last = at(13 + random.nextInt(3));
                LaneRecord next = switch (random.nextInt(9)) {
                    case 0 -> record.covers(position) ? record : record.begin(position, last, CODE);
                    case 1 -> record.covers(position) ? record : record.beginAlone(position, CODE);
                    case 2 -> record.keyed(position);
                    case 3 -> record.attemptReleased(position);
                    case 4 -> record.advancedTo(position, ARRIVAL);
                    case 5 -> record.stoppedAt(position, last, CODE);
                    case 6 -> record.failedAt(position, 1, true, last, random.nextBoolean(), CODE);
                    case 7 -> record.keyless(position, 3);
                    default -> record.failedAt(position, 1, false, null, random.nextBoolean(), CODE);
                };
                if (record.cursor() != null) {
                    assertThat(next.cursor()).isNotNull().isGreaterThanOrEqualTo(record.cursor());
                }
                AloneRecord alone = next.alone();
                if (alone != null && record.isTriedAlone(alone.position())) {
                    int before = record.attemptsOf(alone.position());
                    assertThat(alone.attempts()).isBetween(before - 1, before + 1);
                }
                if (alone != null) {
                    assertThat(next.covers(alone.position())).isFalse();
                    assertThat(alone.attempts()).isNotNegative();
                }
                record = next;
            }
        }
    }
}
