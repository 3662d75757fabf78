package io.millrace.internal.engine;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One ordered input: a shard of a stream.
 *
 * @param source the stream's index among the pipeline's sources, which never changes
 */
public record Lane(int source, String stream, String shardId) {
    private static final Pattern SHARD_IDS = Pattern.compile("shardId-0*([0-9]+)");

    /**
     * The lane that {@link #toString} names.
     *
     * @param sources the pipeline's sources in their order
     */
    public static Lane named(String name, List<String> sources) {
        int slash = name.indexOf('/');
        String stream = name.substring(0, slash);
        return new Lane(sources.indexOf(stream), stream, name.substring(slash + 1));
    }

    /** The lane's short name in fences: the source's index and the shard's number. */
    public String fenceName() {
        Matcher matcher = SHARD_IDS.matcher(shardId);
        return matcher.matches() ? source + "." + matcher.group(1) : source + ":" + shardId;
    }

    @Override
    public String toString() {
        return stream + "/" + shardId;
    }
}
