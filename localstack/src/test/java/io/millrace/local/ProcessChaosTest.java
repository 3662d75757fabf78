package io.millrace.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.local.ProcessChaos.Misfortune;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProcessChaosTest {
    private static final int BATCH = 10;

    @Test
    void theSameSeedGivesTheSameOrderAndAllOfItHappens() {
        List<Misfortune> drawn = drawAll(
                ProcessChaos.builder(3).kills(8).timeOuts(2).records(400).build(), 0);
        assertThat(drawn)
                .isEqualTo(drawAll(
                        ProcessChaos.builder(3)
                                .kills(8)
                                .timeOuts(2)
                                .records(400)
                                .build(),
                        0))
                .isNotEqualTo(drawAll(
                        ProcessChaos.builder(4)
                                .kills(8)
                                .timeOuts(2)
                                .records(400)
                                .build(),
                        0));
        assertThat(drawn).hasSize(10);
        assertThat(Collections.frequency(drawn, Misfortune.KILL_DURING)).isEqualTo(4);
        assertThat(Collections.frequency(drawn, Misfortune.KILL_BEFORE_FIRST_EVENT))
                .isEqualTo(2);
        assertThat(Collections.frequency(drawn, Misfortune.KILL_AFTER_ANSWER)).isEqualTo(2);
        assertThat(Collections.frequency(drawn, Misfortune.TIME_OUT_STOPPED)).isEqualTo(1);
    }

    @Test
    void whileManyOldProcessesGoOnNoFurtherInvocationTimesOut() {
        ProcessChaos chaos =
                ProcessChaos.builder(3).kills(2).timeOuts(6).records(400).build();
        assertThat(drawAll(chaos, ProcessChaos.LATE_ZOMBIES_MAX)).hasSize(2);
    }

    /** The last batch takes all that is left, however many batches are under way beside it. */
    @Test
    void allHappensThoughBatchesRunSideBySide() {
        for (int seed = 0; seed < 200; seed++) {
            ProcessChaos chaos = ProcessChaos.builder(seed)
                    .kills(2)
                    .timeOuts(1)
                    .records(4 * BATCH)
                    .build();
            int drawn = 0;
            for (int first = 0; first < 4 * BATCH; first += BATCH) {
                drawn += chaos.begin(batch(first), BATCH, 0) == null ? 0 : 1;
            }
            chaos.end(batch(3 * BATCH), BATCH, new InvocationOutcome.Throttled("again"));
            while (chaos.begin(batch(3 * BATCH), BATCH, 0) != null) {
                drawn++;
                chaos.end(batch(3 * BATCH), BATCH, new InvocationOutcome.Throttled("again"));
            }
            assertThat(drawn).as("seed %d", seed).isEqualTo(3);
        }
    }

    @Test
    void whatCouldNotHappenComesNext() {
        ProcessChaos chaos = ProcessChaos.builder(1).kills(1).build();
        Misfortune first = chaos.begin(batch(0), BATCH, 0);
        assertThat(first).isNotNull();
        assertThat(chaos.begin(batch(1), BATCH, 0)).isNull();
        chaos.putBack(first);
        assertThat(chaos.begin(batch(2), BATCH, 0)).isEqualTo(first);
        chaos.happened(first);
        assertThat(chaos.injected()).containsEntry(first, 1L);
    }

    @Test
    void negativeCountsAreRefused() {
        assertThatThrownBy(() -> ProcessChaos.builder(1).kills(-1)).hasMessageContaining("kills is -1");
        assertThatThrownBy(() -> ProcessChaos.builder(1).timeOuts(-2)).hasMessageContaining("timeOuts is -2");
        assertThatThrownBy(() -> ProcessChaos.builder(1).records(-3)).hasMessageContaining("records is -3");
    }

    /** Delivers 400 records in batches, each until it is left alone. */
    private static List<Misfortune> drawAll(ProcessChaos chaos, int zombies) {
        List<Misfortune> drawn = new ArrayList<>();
        for (int first = 0; first < 400; first += BATCH) {
            @Nullable Misfortune misfortune = chaos.begin(batch(first), BATCH, zombies);
            while (misfortune != null) {
                drawn.add(misfortune);
                chaos.end(batch(first), BATCH, new InvocationOutcome.Throttled("again"));
                misfortune = chaos.begin(batch(first), BATCH, zombies);
            }
            chaos.end(batch(first), BATCH, new InvocationOutcome.Returned(null));
        }
        return drawn;
    }

    private static String batch(int first) {
        return "from record " + first;
    }
}
