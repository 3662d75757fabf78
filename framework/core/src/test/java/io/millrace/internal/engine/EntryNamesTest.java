package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.internal.item.UnacceptableException;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** User keys as attribute names. */
class EntryNamesTest {
    @Test
    void keysAreNamesAndBackAndNoNameIsEmpty() {
        Set<String> names = new HashSet<>();
        List<String> keys = List.of("", "%", "%%", "%a", "a%", "a", " ", "\0", "é");
        for (String key : keys) {
            String name = EntryNames.ofKey(key);
            assertThat(name).isNotEmpty();
            assertThat(EntryNames.toKey(name)).isEqualTo(key);
            names.add(name);
        }
        assertThat(names).hasSameSizeAs(keys);
        assertThat(EntryNames.ofKey("a%")).isEqualTo("a%");
    }

    @Test
    void emptyUserKeyIsAKeyLikeOthers() {
        StateProbe<MapState<String, Integer>> probe = new StateProbe<>(
                context -> context.getMapState(new MapStateDescriptor<>("map", String.class, Integer.class)));
        probe.process(map -> {
            map.put("", 1);
            map.put("%", 2);
        });
        assertThat(probe.item("map")).isEqualTo("{\"%\":\"1\",\"%%\":\"2\"}");
        probe.process(map -> {
            assertThat(map.get("")).isEqualTo(1);
            assertThat(map.keys()).containsExactly("", "%");
            map.remove("");
            assertThat(map.contains("")).isFalse();
        });
        probe.process(map -> assertThat(map.keys()).containsExactly("%"));
    }

    @Test
    void userKeyHasALimit() {
        assertThat(EntryNames.checked("map", "k".repeat(65_534))).hasSize(65_534);
        assertThatThrownBy(() -> EntryNames.checked("map", "k".repeat(65_535)))
                .isInstanceOf(UnacceptableException.class)
                .hasMessage(
                        "A user key of the state 'map' has 65535 bytes; 65534 are allowed. Shorten it, for example to"
                                + " its hash.");
        assertThatThrownBy(() -> EntryNames.checked("map", "é".repeat(32_768)))
                .isInstanceOf(UnacceptableException.class);
    }
}
