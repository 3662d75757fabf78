package io.millrace.local.testing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an invocation will meet.
 *
 * @param crashPoint where it ends; null if it is not ended
 * @param staysWarm whether the function instance is used again after the crash
 * @param conflicts whether another writer comes before each of its commits
 */
record InvocationPlan(@Nullable CrashPoint crashPoint, boolean staysWarm, boolean conflicts) {
    static final InvocationPlan UNDISTURBED = new InvocationPlan(null, false, false);

    static InvocationPlan crash(CrashPoint crashPoint) {
        return new InvocationPlan(crashPoint, false, false);
    }

    /**
     * Notices a crash that was asked for and did not happen.
     *
     * @throws IllegalStateException if so
     */
    void checkCrashed(boolean crashed, List<String> requests) {
        if (crashPoint != null && !crashed) {
            throw new IllegalStateException("The invocation should have crashed " + crashPoint
                    + ", but made only the " + requests.size() + " requests " + requests
                    + ". Choose one of them.");
        }
    }
}
