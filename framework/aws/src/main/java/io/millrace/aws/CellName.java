package io.millrace.aws;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A cell's partition key in its parts, {@code STAGE#KEY#GENERATION}. Only the key can have a {@code #} in it.
 *
 * @param key the key, or what stands for it if it is hashed
 */
record CellName(String stage, String key, long generation) {
    private static final Pattern FORM = Pattern.compile("([^#]*)#(.*)#([0-9]{1,18})", Pattern.DOTALL);

    /** The parts of a partition key; null if it is not one of a cell. */
    static @Nullable CellName parse(String partitionKey) {
        Matcher parts = FORM.matcher(partitionKey);
        return parts.matches() ? new CellName(parts.group(1), parts.group(2), Long.parseLong(parts.group(3))) : null;
    }
}
