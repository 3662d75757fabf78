package io.millrace.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.state.StateTtlConfig.StateVisibility;
import io.millrace.state.StateTtlConfig.UpdateType;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StateTtlConfigTest {
    @Test
    void byDefaultAWriteRenewsAndExpiredValuesAreNotSeen() {
        StateTtlConfig config = StateTtlConfig.newBuilder(Duration.ofHours(1)).build();

        assertThat(config.getTimeToLive()).isEqualTo(Duration.ofHours(1));
        assertThat(config.getUpdateType()).isEqualTo(UpdateType.OnCreateAndWrite);
        assertThat(config.getStateVisibility()).isEqualTo(StateVisibility.NeverReturnExpired);
        assertThat(config).hasToString("PT1H OnCreateAndWrite NeverReturnExpired");
    }

    @Test
    void eachSettingHasTwoWaysToSayIt() {
        StateTtlConfig.Builder builder = StateTtlConfig.newBuilder(Duration.ofHours(1));

        assertThat(builder.updateTtlOnReadAndWrite().build().getUpdateType()).isEqualTo(UpdateType.OnReadAndWrite);
        assertThat(builder.updateTtlOnCreateAndWrite().build().getUpdateType()).isEqualTo(UpdateType.OnCreateAndWrite);
        assertThat(builder.setUpdateType(UpdateType.OnReadAndWrite).build().getUpdateType())
                .isEqualTo(UpdateType.OnReadAndWrite);
        assertThat(builder.returnExpiredIfNotCleanedUp().build().getStateVisibility())
                .isEqualTo(StateVisibility.ReturnExpiredIfNotCleanedUp);
        assertThat(builder.neverReturnExpired().build().getStateVisibility())
                .isEqualTo(StateVisibility.NeverReturnExpired);
        assertThat(builder.setStateVisibility(StateVisibility.ReturnExpiredIfNotCleanedUp)
                        .build()
                        .getStateVisibility())
                .isEqualTo(StateVisibility.ReturnExpiredIfNotCleanedUp);
    }

    @Test
    void timeToLiveHasBounds() {
        StateTtlConfig.newBuilder(Duration.ofMillis(1));
        StateTtlConfig.newBuilder(Duration.ofDays(36_500));
        for (Duration bad : new Duration[] {
            Duration.ZERO,
            Duration.ofNanos(999_999),
            Duration.ofSeconds(-1),
            Duration.ofDays(36_500).plusNanos(1)
        }) {
            assertThatThrownBy(() -> StateTtlConfig.newBuilder(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("The time to live is " + bad
                            + "; PT0.001S to PT876000H are allowed. Leave it out for state that never expires.");
        }
    }

    @Test
    void descriptorHasNoTimeToLiveUntilItIsEnabled() {
        ValueStateDescriptor<String> descriptor = new ValueStateDescriptor<>("text", String.class);
        assertThat(descriptor.timeToLive()).isEmpty();

        StateTtlConfig config = StateTtlConfig.newBuilder(Duration.ofHours(1)).build();
        descriptor.enableTimeToLive(config);
        assertThat(descriptor.timeToLive()).contains(config);
    }
}
