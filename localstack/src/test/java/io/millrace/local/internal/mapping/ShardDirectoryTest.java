package io.millrace.local.internal.mapping;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.local.StartingPosition;
import io.millrace.local.internal.mapping.ShardDirectory.Ready;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShardDirectoryTest {
    private static final ShardPosition OLDEST = new ShardPosition.Oldest();

    @Test
    void parentsAreFinishedBeforeTheirChildren() {
        ShardDirectory directory = new ShardDirectory(StartingPosition.trimHorizon());
        List<SourceShard> listed = List.of(
                new SourceShard("child", List.of("left", "right")),
                new SourceShard("left", List.of("trimmed")),
                new SourceShard("right", List.of()));
        directory.onListed(listed);
        assertThat(directory.takeReady()).containsExactly(new Ready("left", OLDEST), new Ready("right", OLDEST));
        directory.onFinished("left");
        assertThat(directory.takeReady()).isEmpty();
        assertThat(directory.hasWaiting()).isTrue();
        directory.onListed(listed);
        directory.onFinished("right");
        assertThat(directory.takeReady()).containsExactly(new Ready("child", OLDEST));
        assertThat(directory.hasWaiting()).isFalse();
        assertThat(directory.takeReady()).isEmpty();
    }

    @Test
    void latestAppliesToTheFirstListingOnly() {
        ShardDirectory directory = new ShardDirectory(StartingPosition.latest());
        directory.onListed(List.of(new SourceShard("first", List.of())));
        assertThat(directory.takeReady()).containsExactly(new Ready("first", new ShardPosition.Newest()));
        directory.onFinished("first");
        directory.onListed(List.of(new SourceShard("first", List.of()), new SourceShard("child", List.of("first"))));
        assertThat(directory.takeReady()).containsExactly(new Ready("child", OLDEST));
    }

    @Test
    void aTimeAppliesToEveryShard() {
        Instant time = Instant.parse("2026-01-01T00:00:00Z");
        ShardDirectory directory = new ShardDirectory(StartingPosition.atTimestamp(time));
        directory.onListed(List.of(new SourceShard("first", List.of())));
        assertThat(directory.takeReady()).containsExactly(new Ready("first", new ShardPosition.AtTime(time)));
    }
}
