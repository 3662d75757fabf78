package io.millrace.local.testing;

/**
 * What a verification that found no difference has run.
 *
 * @param runs how many runs there were, each in an AWS of its own
 * @param runsPossible how many would cover every crash point
 * @param invocations all invocations together
 * @param requests their AWS requests together
 * @param seed what the runs were drawn by, if not all were run
 */
public record VerificationReport(int runs, int runsPossible, long invocations, long requests, long seed) {
    /** Whether only a sample was run, since all would have been more than the bound. */
    public boolean isSampled() {
        return runs < runsPossible;
    }

    /** The numbers in a sentence, which says so if only a sample was run. */
    @Override
    public String toString() {
        return runs + " runs with " + invocations + " invocations and " + requests + " AWS requests"
                + (isSampled()
                        ? ", drawn by seed " + seed + " from the " + runsPossible
                                + " that would cover every crash point; raise runsMax(...) for all"
                        : ", every crash point among them");
    }
}
