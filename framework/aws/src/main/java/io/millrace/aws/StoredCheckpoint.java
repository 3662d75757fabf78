package io.millrace.aws;

import io.millrace.aws.internal.checkpoint.Checkpoint;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;

/** A complete checkpoint as it lies in S3. Immutable. */
public final class StoredCheckpoint {
    private final Checkpoint checkpoint;

    StoredCheckpoint(Checkpoint checkpoint) {
        this.checkpoint = checkpoint;
    }

    /** What names it; the ids of those by a schedule are in the order of their beginnings. */
    public String id() {
        return checkpoint.id();
    }

    /** The name that it was given; empty for one by a schedule. */
    public Optional<String> savepoint() {
        return Optional.ofNullable(checkpoint.savepoint());
    }

    /** The generation that it was made of. */
    public long generation() {
        return checkpoint.generation();
    }

    /** When the lanes were read, from where a restore replays. */
    public Instant begun() {
        return checkpoint.begun();
    }

    /** When it was complete. */
    public Instant completed() {
        return checkpoint.completed();
    }

    /** How many cells it has, by stage. */
    public SortedMap<String, Long> cells() {
        return checkpoint.cells();
    }

    /** How many dead letters it has, the parts of large payloads among them. */
    public long deadLetters() {
        return checkpoint.deadLetters();
    }

    /** How many objects its items lie in. */
    public int objects() {
        return checkpoint.objects();
    }

    /** The size of these objects as they are stored, compressed. */
    public long bytes() {
        return checkpoint.bytes();
    }

    @Override
    public String toString() {
        return id() + ": " + cells() + " cells, " + bytes() + " bytes in " + objects() + " objects";
    }
}
