package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.millrace.RuntimeContext;
import io.millrace.state.StateTtlConfig;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CellReaderTest {
    private static final ValueStateDescriptor<Integer> COUNT = new ValueStateDescriptor<>("count", Integer.class);
    private static final Cell CELL = new Cell(
            new CellKey("stage", "key", 1),
            "v1",
            Fence.EMPTY,
            Map.of("count", new StoredState.Value("7".getBytes(StandardCharsets.UTF_8), true)));

    @Test
    void aCellIsReadAsItsFunctionSeesIt() {
        ValueState<Integer> count = CellReader.read(CELL, Instant.EPOCH, context -> context.getState(COUNT));
        assertThat(count.value()).isEqualTo(7);
        count.update(8);
        assertThat(CellReader.<ValueState<Integer>>read(CELL, Instant.EPOCH, context -> context.getState(COUNT))
                        .value())
                .isEqualTo(7);
    }

    @Test
    void nothingIsRegisteredLater() {
        List<RuntimeContext> contexts = new ArrayList<>();
        CellReader.<ValueState<Integer>>read(CELL, Instant.EPOCH, context -> {
            contexts.add(context);
            return context.getState(COUNT);
        });
        assertThatIllegalStateException()
                .isThrownBy(() -> contexts.get(0).getState(new ValueStateDescriptor<>("late", Integer.class)))
                .withMessageContaining("registered too late");
    }

    @Test
    void timeToLiveIsJudgedAtTheGivenTime() {
        ValueStateDescriptor<Integer> expiring = new ValueStateDescriptor<>("count", Integer.class);
        expiring.enableTimeToLive(
                StateTtlConfig.newBuilder(Duration.ofMillis(5)).build());
        StoredState stored = new StoredState.Value("1".getBytes(StandardCharsets.UTF_8), true, 10);
        Cell cell = new Cell(CELL.key(), "v", Fence.EMPTY, Map.of("count", stored));

        assertThat(CellReader.<ValueState<Integer>>read(
                                cell, Instant.ofEpochMilli(14), context -> context.getState(expiring))
                        .value())
                .isEqualTo(1);
        assertThat(CellReader.<ValueState<Integer>>read(
                                cell, Instant.ofEpochMilli(15), context -> context.getState(expiring))
                        .value())
                .isNull();
    }
}
