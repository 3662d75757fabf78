package io.millrace.aws.internal.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * What a checkpoint began with: how far each lane was before the first cell was read. Restoring replays from here; the cells'
 * fences say what they have absorbed beyond it.
 *
 * @param formatVersion of all objects of the checkpoint
 * @param savepoint the name that somebody gave it; null for a checkpoint by a schedule
 * @param generation the generation that was current
 * @param sources the streams, by the index that fences know them by
 * @param begun when the lanes were read, in ISO 8601
 * @param segments into how many parts each table is scanned
 * @param stages by uid
 */
record Cut(
        int formatVersion,
        String id,
        @Nullable String savepoint,
        String pipeline,
        long generation,
        List<String> sources,
        String begun,
        int segments,
        SortedMap<String, StageCut> stages) {
    /** The format that this code writes, and the newest that it reads. */
    static final int FORMAT_VERSION = 1;

    /** The name of its object. */
    static final String NAME = "cut.json";

    /**
     * The lanes of a stage.
     *
     * @param lanes their records, as DynamoDB items
     * @param complete the item that names all lanes; null if there was none
     */
    record StageCut(List<JsonNode> lanes, @Nullable JsonNode complete) {}
}
