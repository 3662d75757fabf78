package io.millrace.aws.internal.checkpoint;

import io.millrace.MillraceException;

/**
 * Where checkpoints lie.
 *
 * @param prefix what the keys of all objects begin with: empty, or with a slash at its end
 */
public record CheckpointPlace(String bucket, String prefix) {
    private static final String SCHEME = "s3://";

    public CheckpointPlace {
        if (!prefix.isEmpty() && !prefix.endsWith("/")) {
            prefix = prefix + "/";
        }
    }

    /**
     * The place that a text names.
     *
     * @param text {@code s3://BUCKET}, {@code s3://BUCKET/PREFIX}, or a bucket's name
     */
    public static CheckpointPlace parse(String text) {
        String path = text.startsWith(SCHEME) ? text.substring(SCHEME.length()) : text;
        int slash = path.indexOf('/');
        CheckpointPlace place = slash < 0
                ? new CheckpointPlace(path, "")
                : new CheckpointPlace(path.substring(0, slash), path.substring(slash + 1));
        if (place.bucket().isBlank()) {
            throw new MillraceException("'" + text + "' names no bucket for checkpoints. Write s3://BUCKET/PREFIX.");
        }
        return place;
    }

    @Override
    public String toString() {
        return SCHEME + bucket + "/" + prefix;
    }
}
