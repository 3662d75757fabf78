package io.millrace.local.internal.mapping;

import java.util.List;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.kinesis.model.Record;

/** What one read of a shard gave. */
public sealed interface ReadOutcome {
    /**
     * Records (possibly none) and the iterator for what follows them: null at the end of a closed shard. An empty page is
     * the tip only if it is also 0 milliseconds behind.
     */
    record Page(List<Record> records, @Nullable String nextIterator, long millisBehindLatest) implements ReadOutcome {}

    /** The iterator is too old; open another. */
    record IteratorExpired() implements ReadOutcome {}

    /** The stream no longer knows the shard: its records expired. */
    record ShardGone() implements ReadOutcome {}

    /** A throttle, a lost connection, a server's error: try again later. */
    record Failed(RuntimeException failure) implements ReadOutcome {}
}
