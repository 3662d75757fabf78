package io.millrace.local.testing;

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
}
