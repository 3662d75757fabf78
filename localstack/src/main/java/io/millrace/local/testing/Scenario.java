package io.millrace.local.testing;

import org.jspecify.annotations.Nullable;

/**
 * One run of a verification: how records are delivered, and what disturbs the invocations.
 *
 * @param crash where invocations end; null if none does
 */
record Scenario(
        Batching batching,
        Disturbance disturbance,
        @Nullable Crash crash) {
    /** What the invocations of a run meet. */
    enum Disturbance {
        NONE(""),
        COLD_STARTS(", each on a new function instance"),
        CONFLICTS(", each of which meets another writer before each of its commits, and runs again"),
        CRASH("");

        private final String words;

        Disturbance(String words) {
            this.words = words;
        }
    }

    /**
     * Where the deliveries of batches end, or the attempts to end the input.
     *
     * @param invocation which invocation of a batch, or which attempt of a stage, ends, from 0
     * @param request at which of its requests, from 1
     * @param warm whether its function instance is used again
     * @param batch the only batch that is hit, from 0; {@link #EVERY_BATCH} for each that has such a request; {@link
     *     #END_OF_INPUT} for none, but the end of the input
     */
    record Crash(int invocation, int request, boolean after, boolean warm, int batch) {
        static final int EVERY_BATCH = -1;
        static final int END_OF_INPUT = -2;

        Crash onlyIn(int onlyBatch) {
            return new Crash(invocation, request, after, warm, onlyBatch);
        }

        boolean hits(int aBatch, int anInvocation) {
            return (batch == EVERY_BATCH || batch == aBatch) && invocation == anInvocation;
        }

        boolean hitsEnding(int attempt) {
            return batch == END_OF_INPUT && invocation == attempt;
        }

        InvocationPlan plan() {
            return new InvocationPlan(CrashPoint.at(after, request), warm, false);
        }

        private String describe(String operations) {
            String ended =
                    " ended " + (after ? "after" : "before") + " AWS request " + request + " (" + operations + "), ";
            if (batch == END_OF_INPUT) {
                return ", then " + (invocation == 0 ? "the first" : "attempt " + (invocation + 1)) + " to end the input"
                        + ended
                        + (warm ? "and the same function instance went on" : "its process gone, and a new one went on");
            }
            return ", " + (invocation == 0 ? "the first" : "invocation " + (invocation + 1)) + " delivery of "
                    + (batch == EVERY_BATCH ? "each" : "batch " + (batch + 1) + " of them") + ended
                    + (warm
                            ? "and the same function instance got the batch again"
                            : "its process gone, and a new one got the batch again");
        }
    }

    static Scenario undisturbed(Batching batching) {
        return new Scenario(batching, Disturbance.NONE, null);
    }

    static Scenario crash(Batching batching, Crash crash) {
        return new Scenario(batching, Disturbance.CRASH, crash);
    }

    /**
     * The scenario in words.
     *
     * @param operations the requests at which invocations ended
     */
    String describe(String operations) {
        return batching + disturbance.words + (crash == null ? "" : crash.describe(operations));
    }
}
