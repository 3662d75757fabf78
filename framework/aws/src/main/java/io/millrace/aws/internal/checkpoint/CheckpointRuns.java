package io.millrace.aws.internal.checkpoint;

import io.millrace.MillraceException;
import io.millrace.aws.internal.Deadline;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints of a pipeline: takes them one after the other, lists and deletes them. What a run leaves undone the next
 * one goes on with. Thread-safe if its parts are.
 */
public final class CheckpointRuns {
    /** Names of savepoints: they are parts of keys in S3. */
    private static final Pattern SAVEPOINT_NAMES = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    /** What the ids of savepoints begin with; those of others begin with a digit. */
    private static final String SAVEPOINT_PREFIX = "savepoint-";

    private static final DateTimeFormatter IDS =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

    private final CheckpointRun.Parts parts;

    public CheckpointRuns(CheckpointRun.Parts parts) {
        this.parts = parts;
    }

    /** The manifest of a checkpoint; empty if it is not complete. */
    static Optional<Manifest> manifest(CheckpointFiles files, String id) {
        return files.get(id, Manifest.NAME)
                .map(content ->
                        CheckpointJson.read(content.bytes(), Manifest.class, files.describe(id, Manifest.NAME)));
    }

    /**
     * What a run has done.
     *
     * @param checkpoint null if it is not complete yet
     */
    public record Result(String id, Optional<Checkpoint> checkpoint) {}

    /** Takes a checkpoint, or goes on with the one that is not complete. */
    public Result take(Deadline deadline) {
        String id = unfinished()
                .orElseGet(() ->
                        IDS.format(now()) + "-" + parts.surroundings().nonce().substring(0, 4));
        return run(id, null, deadline);
    }

    /**
     * Takes a savepoint, which is kept until it is deleted.
     *
     * @throws MillraceException if its name cannot be one, or there is one of this name
     */
    public Result takeSavepoint(String name, Deadline deadline) {
        if (!SAVEPOINT_NAMES.matcher(name).matches()) {
            throw new MillraceException(
                    "'" + name + "' is no name for a savepoint: letters, digits, '.', '_' and '-' are, a"
                            + " letter or digit first, 100 at most.");
        }
        String id = SAVEPOINT_PREFIX + name;
        if (manifest(parts.files(), id).isPresent()) {
            throw new MillraceException("There is a savepoint '" + name + "' of pipeline '" + parts.pipeline()
                    + "' already. Delete it first, or take another name.");
        }
        return run(id, name, deadline);
    }

    private Result run(String id, @Nullable String savepoint, Deadline deadline) {
        return new Result(
                id, new CheckpointRun(parts, id, savepoint).run(deadline).map(Checkpoint::new));
    }

    /** The checkpoint by a schedule that was begun in this generation and is not complete. */
    private Optional<String> unfinished() {
        var control = parts.control().read(parts.pipeline());
        return parts.files().ids().stream()
                .filter(id -> !id.startsWith(SAVEPOINT_PREFIX))
                .filter(id -> manifest(parts.files(), id).isEmpty())
                .filter(id -> control != null && isOfGeneration(id, control.generation()))
                .max(Comparator.naturalOrder());
    }

    private boolean isOfGeneration(String id, long generation) {
        return parts.files()
                .get(id, Cut.NAME)
                .map(content -> CheckpointJson.read(
                        content.bytes(), Cut.class, parts.files().describe(id, Cut.NAME)))
                .filter(cut -> cut.generation() == generation)
                .isPresent();
    }

    private Instant now() {
        return parts.surroundings().clock().instant();
    }

    /** The complete checkpoints, oldest first. */
    public List<Checkpoint> list() {
        List<Checkpoint> found = new ArrayList<>();
        for (String id : parts.files().ids()) {
            manifest(parts.files(), id).map(Checkpoint::new).ifPresent(found::add);
        }
        found.sort(Comparator.comparing(Checkpoint::begun));
        return found;
    }

    /** The complete checkpoint of an id, or the savepoint of a name. */
    public Optional<Checkpoint> find(String idOrSavepoint) {
        return find(parts.files(), idOrSavepoint);
    }

    static Optional<Checkpoint> find(CheckpointFiles files, String idOrSavepoint) {
        Optional<Manifest> found = manifest(files, idOrSavepoint);
        return (found.isPresent() ? found : manifest(files, SAVEPOINT_PREFIX + idOrSavepoint)).map(Checkpoint::new);
    }

    /** Deletes a checkpoint: its manifest first, so that no half of one is left that looks whole. */
    public void delete(String id) {
        int manifests = parts.files().delete(id, Manifest.NAME::equals);
        int objects = parts.files().delete(id, name -> true);
        if (manifests + objects == 0) {
            throw new MillraceException("There is no checkpoint '" + id + "' of pipeline '" + parts.pipeline()
                    + "'. There are " + parts.files().ids() + ".");
        }
    }

    /** Deletes all but the last checkpoints, and what was begun before them and never completed; no savepoint. */
    public List<String> retain(int last) {
        List<Checkpoint> kept = list().stream()
                .filter(checkpoint -> checkpoint.savepoint() == null)
                .toList();
        List<String> deleted = new ArrayList<>();
        if (kept.size() <= last) {
            return deleted;
        }
        String oldestKept = kept.get(kept.size() - last).id();
        for (String id : parts.files().ids()) {
            if (!id.startsWith(SAVEPOINT_PREFIX) && id.compareTo(oldestKept) < 0) {
                delete(id);
                deleted.add(id);
            }
        }
        return deleted;
    }
}
