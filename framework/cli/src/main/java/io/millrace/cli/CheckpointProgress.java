package io.millrace.cli;

import io.millrace.aws.CheckpointListener;
import java.util.OptionalLong;

/** Shows how far a checkpoint or a restore is, in cells. Thread-safe. */
final class CheckpointProgress implements CheckpointListener {
    private final Progress progress;
    private long cells;
    private long bytes;

    CheckpointProgress(Terminal terminal, String label, OptionalLong total) {
        this.progress = new Progress(terminal, label, "cells", total, System::nanoTime);
    }

    @Override
    public synchronized void onPart(long moreCells, long moreBytes) {
        cells += moreCells;
        bytes += moreBytes;
        progress.update(cells);
    }

    /** Shows the last state, and returns how many bytes there were. */
    synchronized long finish() {
        progress.finish(cells);
        return bytes;
    }
}
