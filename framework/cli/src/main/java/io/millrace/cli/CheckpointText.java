package io.millrace.cli;

import io.millrace.aws.StoredCheckpoint;
import java.util.Locale;

/** Checkpoints in words. */
final class CheckpointText {
    private CheckpointText() {}

    /** A checkpoint in a line. */
    static String line(StoredCheckpoint checkpoint) {
        long cells =
                checkpoint.cells().values().stream().mapToLong(Long::longValue).sum();
        return String.format(
                Locale.ROOT,
                "%s: generation %d, begun %s, %,d cells, %,d dead letters, %,d bytes in %d objects",
                checkpoint.id(),
                checkpoint.generation(),
                checkpoint.begun(),
                cells,
                checkpoint.deadLetters(),
                checkpoint.bytes(),
                checkpoint.objects());
    }
}
