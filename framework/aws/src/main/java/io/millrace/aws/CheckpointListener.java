package io.millrace.aws;

/** Hears of a checkpoint or a restore as it goes on, from any thread. What it throws breaks the work off. */
@FunctionalInterface
public interface CheckpointListener {
    /** Nobody listens. */
    CheckpointListener NONE = (cells, bytes) -> {};

    /** So many cells more are done, in an object of so many bytes as it is stored. */
    void onPart(long cells, long bytes);
}
