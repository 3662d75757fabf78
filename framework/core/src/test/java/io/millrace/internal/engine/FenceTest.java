package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class FenceTest {
    private static final Lane LANE = new Lane(0, "events", "shardId-000000000007");

    @Test
    void coversAllUpToItsPosition() {
        Fence fence = Fence.EMPTY.raisedTo(LANE, Position.of("10"));

        assertThat(fence.covers(LANE, Position.of("9"))).isTrue();
        assertThat(fence.covers(LANE, Position.of("10"))).isTrue();
        assertThat(fence.covers(LANE, Position.parse("10:1"))).isFalse();
        assertThat(fence.covers(LANE, Position.of("11"))).isFalse();
        assertThat(fence.at(LANE)).isEqualTo(Position.of("10"));
        assertThat(Fence.EMPTY.covers(LANE, Position.of("0"))).isFalse();
        assertThat(Fence.EMPTY.at(LANE)).isNull();
    }

    @Test
    void onlyRises() {
        Fence fence = Fence.EMPTY.raisedTo(LANE, Position.of("10"));

        assertThat(fence.raisedTo(LANE, Position.of("100")).at(LANE)).isEqualTo(Position.of("100"));
        assertThatThrownBy(() -> fence.raisedTo(LANE, Position.of("9")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("The fence of lane events/shardId-000000000007 would go back to 9.");
        assertThatThrownBy(() -> fence.raisedTo(LANE, Position.of("10"))).isInstanceOf(IllegalStateException.class);
        assertThat(fence.at(LANE)).as("it is immutable").isEqualTo(Position.of("10"));
    }

    @Test
    void shardsOfEqualNumberOfOtherSourcesAreOtherLanes() {
        Lane sameShardOfOtherSource = new Lane(1, "events", "shardId-000000000007");
        Fence fence = Fence.EMPTY.raisedTo(LANE, Position.of("10"));

        assertThat(fence.covers(sameShardOfOtherSource, Position.of("1"))).isFalse();
        assertThat(fence.raisedTo(sameShardOfOtherSource, Position.of("1")).positions())
                .isEqualTo(Map.of("0.7", Position.of("10"), "1.7", Position.of("1")));
    }

    @Test
    void fenceNameIsShortAndToldApart() {
        assertThat(new Lane(0, "s", "shardId-000000000000").fenceName()).isEqualTo("0.0");
        assertThat(new Lane(3, "s", "shardId-000000000120").fenceName()).isEqualTo("3.120");
        assertThat(new Lane(1, "s", "shardId-12345678901234567890").fenceName()).isEqualTo("1.12345678901234567890");
        assertThat(new Lane(1, "s", "my-shard").fenceName()).isEqualTo("1:my-shard");
        assertThat(new Lane(1, "s", "shardId-7a").fenceName()).isEqualTo("1:shardId-7a");
        assertThat(new Lane(1, "s", "7").fenceName()).isEqualTo("1:7");
        assertThat(LANE).hasToString("events/shardId-000000000007");
    }

    @Test
    void isReadAsStored() {
        Fence fence = Fence.of(Map.of("0.7", Position.of("10")));

        assertThat(fence.covers(LANE, Position.of("10"))).isTrue();
        assertThat(Fence.of(Map.of())).isSameAs(Fence.EMPTY);
        assertThat(fence).hasToString("{0.7=10}");
    }
}
