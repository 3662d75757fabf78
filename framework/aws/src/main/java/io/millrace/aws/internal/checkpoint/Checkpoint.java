package io.millrace.aws.internal.checkpoint;

import java.time.Instant;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** A complete checkpoint, as its manifest describes it. Immutable. */
public final class Checkpoint {
    private final Manifest manifest;

    Checkpoint(Manifest manifest) {
        this.manifest = manifest;
    }

    Manifest manifest() {
        return manifest;
    }

    public String id() {
        return manifest.cut().id();
    }

    /** The name that it was given; null for one by a schedule. */
    public @Nullable String savepoint() {
        return manifest.cut().savepoint();
    }

    public long generation() {
        return manifest.cut().generation();
    }

    /** When the lanes were read. */
    public Instant begun() {
        return Instant.parse(manifest.cut().begun());
    }

    public Instant completed() {
        return Instant.parse(manifest.completed());
    }

    /** How many cells it has, by stage. */
    public SortedMap<String, Long> cells() {
        return manifest.cells();
    }

    public long deadLetters() {
        return manifest.deadLetters();
    }

    public int objects() {
        return manifest.parts().size();
    }

    /** As they are stored. */
    public long bytes() {
        return manifest.bytes();
    }
}
