package io.millrace.aws;

import org.jspecify.annotations.Nullable;

/** Hears of each invocation when it ends. It must not throw; it is called on the invocation's thread. */
@FunctionalInterface
public interface BatchListener {
    /**
     * An invocation ended.
     *
     * @param error why it failed as a whole; null if it answered
     */
    void onBatch(BatchReport report, @Nullable Throwable error);
}
