package io.millrace.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.MillraceException;
import io.millrace.serde.Serde;
import io.millrace.state.ListState;
import io.millrace.state.ListStateDescriptor;
import io.millrace.state.ValueStateDescriptor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListStateTest {
    private final StateProbe<ListState<String>> probe =
            new StateProbe<>(context -> context.getListState(new ListStateDescriptor<>("list", String.class)));

    @Test
    void elementsComeInTheOrderInWhichTheyWereAdded() {
        probe.process(list -> {
            assertThat(list.get()).isEmpty();
            list.add("b");
            list.addAll(List.of("a", "c"));
            assertThat(list.get()).containsExactly("b", "a", "c");
        });
        probe.process(list -> {
            list.add("a");
            assertThat(list.get()).containsExactly("b", "a", "c", "a");
        });
        assertThat(probe.item("list")).isEqualTo("[\"\\\"b\\\"\",\"\\\"a\\\"\",\"\\\"c\\\"\",\"\\\"a\\\"\"]");
    }

    @Test
    void updateReplacesAllElements() {
        probe.process(list -> list.addAll(List.of("a", "b")));
        probe.process(list -> {
            list.update(List.of("c"));
            assertThat(list.get()).containsExactly("c");
        });
        probe.process(list -> {
            List<String> longer = new ArrayList<>();
            list.get().forEach(longer::add);
            longer.add(0, "d");
            list.update(longer);
        });
        probe.process(list -> assertThat(list.get()).containsExactly("d", "c"));
    }

    @Test
    void emptyListIsNoState() {
        probe.process(list -> list.add("a"));
        probe.process(ListState::clear);
        assertThat(probe.cell().isTombstone()).isTrue();

        probe.process(list -> list.add("a"));
        assertThat(probe.cell().isTombstone()).isFalse();
        probe.process(list -> {
            list.update(List.of());
            assertThat(list.get()).isEmpty();
        });
        assertThat(probe.cell().isTombstone()).isTrue();

        probe.process(list -> list.addAll(List.of()));
        assertThat(probe.cell().isTombstone()).isTrue();
    }

    @Test
    void listIsASnapshot() {
        probe.process(list -> list.addAll(List.of("a", "b")));
        probe.process(list -> {
            for (String element : list.get()) {
                list.add(element + element);
            }
            assertThat(list.get()).containsExactly("a", "b", "aa", "bb");
        });
    }

    @Test
    void objectsChangedInPlaceAreStoredAsChanged() {
        StateProbe<ListState<TextPipeline.Counter>> counters = new StateProbe<>(
                context -> context.getListState(new ListStateDescriptor<>("list", TextPipeline.Counter.class)));
        counters.process(list -> {
            TextPipeline.Counter counter = new TextPipeline.Counter();
            list.add(counter);
            list.add(new TextPipeline.Counter());
            counter.count = 1;
        });
        counters.process(list -> list.get().iterator().next().count += 10);

        assertThat(counters.item("list")).isEqualTo("[\"{\\\"count\\\":11}\",\"{\\\"count\\\":0}\"]");
    }

    @Test
    void elementsThatAreNotTouchedKeepTheirBytes() {
        StoredState.Value odd = new StoredState.Value(" \"odd\" ".getBytes(StandardCharsets.UTF_8), true);
        probe.store("list", new StoredState.Elements(List.of(odd, odd)));

        probe.process(list -> list.add("a"));

        assertThat(probe.item("list")).isEqualTo("[\" \\\"odd\\\" \",\" \\\"odd\\\" \",\"\\\"a\\\"\"]");
    }

    @Test
    void bytesStayBytes() {
        Serde<byte[]> plain = new Serde<>() {
            @Override
            public byte[] serialize(byte[] value) {
                return value;
            }

            @Override
            public byte[] deserialize(byte[] data) {
                return data;
            }
        };
        StateProbe<ListState<byte[]>> bytes =
                new StateProbe<>(context -> context.getListState(new ListStateDescriptor<>("list", plain)));

        bytes.process(list -> list.addAll(List.of(new byte[] {0, -1}, new byte[0])));

        bytes.process(list -> assertThat(list.get()).containsExactly(new byte[] {0, -1}, new byte[0]));
    }

    @Test
    @SuppressWarnings("NullAway") // nulls are what the test is about
    void listKeepsNoNullAndAddsNothingThen() {
        probe.process(list -> {
            list.add("kept");
            assertThatThrownBy(() -> list.add(null))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("a list state keeps no null");
            assertThatThrownBy(() -> list.addAll(Arrays.asList("a", null))).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> list.addAll(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> list.update(Arrays.asList("a", null)))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessage("a list state keeps no null");
            assertThatThrownBy(() -> list.update(null)).isInstanceOf(NullPointerException.class);
            assertThat(list.get()).containsExactly("kept");
        });
    }

    @Test
    void handleIsRefusedOutsideOfProcessElement() {
        probe.process(list -> list.add("a"));
        ListState<String> list = probe.handles();

        List<Runnable> uses = List.of(
                list::get,
                () -> list.add("a"),
                () -> list.addAll(List.of()),
                () -> list.update(List.of()),
                list::clear);
        for (Runnable use : uses) {
            assertThatThrownBy(use::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("The state 'list' is used outside of processElement");
        }
    }

    @Test
    void listThatIsStoredInAnotherShapeIsAnErrorOfTheDeployment() {
        probe.store("list", new StoredState.Value(new byte[0], true));
        assertThatThrownBy(() -> probe.process(ListState::clear))
                .isInstanceOf(UnreadableStateException.class)
                .hasMessage(
                        "The state 'list' is stored as a value, but registered as a list. Give the new state another"
                                + " name.");

        probe.store("list", new StoredState.Elements(List.of(new StoredState.Value(new byte[0], true))));
        assertThatThrownBy(() -> probe.deploy(
                                context -> context.getState(new ValueStateDescriptor<>("list", String.class)))
                        .process(value -> {}))
                .isInstanceOf(UnreadableStateException.class)
                .hasMessage(
                        "The state 'list' is stored as a list, but registered as a value. Give the new state another"
                                + " name.");
    }

    @Test
    void elementThatCannotBeReadFailsTheBatchAndNotTheRecord() {
        probe.store("list", new StoredState.Elements(List.of(new StoredState.Value(new byte[] {'{'}, true))));

        probe.process(list -> list.add("a"));
        assertThatThrownBy(() -> probe.process(list -> list.get().forEach(element -> {})))
                .isInstanceOf(UnreadableStateException.class)
                .hasMessageStartingWith("The state 'list' cannot be read by json:java.lang.String.");
    }

    @Test
    void stateIsRegisteredInOpenOnlyAndOnce() {
        assertThatThrownBy(() -> new StateProbe<>(context -> {
                    context.getState(new ValueStateDescriptor<>("list", String.class));
                    return context.getListState(new ListStateDescriptor<>("list", String.class));
                }))
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("The state 'list' of stage 'texts' is registered twice");
    }
}
