package io.millrace.internal.engine;

import io.millrace.RuntimeContext;
import io.millrace.state.State;
import java.time.Instant;
import java.util.function.Function;

/** Reads what a cell keeps, as the functions of its stage see it: for tests and tools. */
public final class CellReader {
    private CellReader() {}

    /**
     * A handle that shows the cell's content. What is changed through it is not stored.
     *
     * @param now the time at which time to live is judged
     * @param registration registers the state as a function does in {@code open}, and gives the handle
     * @throws UnreadableStateException if the state is stored as something else
     */
    public static <S extends State> S read(Cell cell, Instant now, Function<RuntimeContext, S> registration) {
        StateRegistry registry = new StateRegistry(cell.key().stage());
        S handle = registration.apply(registry);
        registry.close();
        registry.setTime(now);
        registry.show(registry.load(cell));
        return handle;
    }
}
