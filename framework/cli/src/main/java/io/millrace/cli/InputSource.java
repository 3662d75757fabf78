package io.millrace.cli;

import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is published.
 *
 * @param stream where it goes to
 * @param opener opens all of it from its beginning
 * @param skip how many records are left out first
 * @param limit the most records to take behind them; null for all
 */
record InputSource(
        String stream, Opener opener, long skip, @Nullable Long limit) {

    /** Opens an input. */
    @FunctionalInterface
    interface Opener {
        /** Opens it, to tell {@code brokenLines} what is wrong with each line that is passed over. */
        Example.Input open(Consumer<String> brokenLines) throws IOException;
    }

    /** The same with another limit. */
    InputSource limitedTo(long records) {
        return new InputSource(stream, opener, skip, records);
    }

    /** The limit as a number that no input reaches if there is none. */
    long limitOrMax() {
        return limit == null ? Long.MAX_VALUE : limit;
    }
}
