package io.millrace.simulation;

/** The rules that a simulation checks, by their names on the protocol page where they have one. */
final class Rules {
    static final String ABSORBED_ONCE = "I1: a cell absorbs a prefix of its records of each lane, in order, each once";
    static final String WITH_CELL = "I2: rows and dead letters are put exactly with the cell that covers them";
    static final String WITH_CURSOR = "a dead letter without a cell is put when the cursor passes its record";
    static final String ROW_ABSORBED_ONCE =
            "I2: a row without a cell holds what the records that its fence covers make of it, in order, each once";
    static final String STUBS = "I2: a deleted row leaves a stub, and no other row looks like one";
    static final String NEVER_BACK = "I3: fence, cursor and watermarks never go back";
    static final String ACKNOWLEDGED = "I4: nothing is acknowledged before all of it is committed";
    static final String TIMERS_ON_TIME =
            "I5: a timer fires once, never before the watermark reached it, and sees what is on time";
    static final String NEVER_LATE_BY_OTHERS = "I6: what is above its own lane's watermark is not late";
    static final String WATERMARK =
            "a lane's watermark is that of what is committed, or of a lane that is proven empty";
    static final String PARENTS_FIRST =
            "a lane is finished by proof, its children are known first, and speak behind it";
    static final String BOUNDED = "at the end of the input nothing is left of windows and timers";
    static final String ACCOUNTED_ONCE = "I7: every record is absorbed or a dead letter, once";
    static final String REDRIVEN_ONCE = "a dead letter is closed once, with the cells that absorb its record";
    static final String GIVEN_UP_RIGHTLY = "a record is given up only by its own fault, after its attempts";
    static final String ANSWER = "an answer names one record of the batch, or none";
    static final String FAILS_FOR_A_REASON = "an invocation fails by itself only for a reason";
    static final String REAL_GAP = "a gap is found only where records are missing";
    static final String ENDS = "nothing loops for ever";
    static final String SEQUENTIAL = "the end equals that of a sequential run";

    private Rules() {}
}
