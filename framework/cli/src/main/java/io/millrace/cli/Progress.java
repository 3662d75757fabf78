package io.millrace.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * How far a piece of work is: a bar that is redrawn in place where a person looks at it, else a plain line every
 * {@link #LINE_INTERVAL}. Not thread-safe.
 */
final class Progress {
    /** The pause between two plain lines. */
    static final Duration LINE_INTERVAL = Duration.ofSeconds(2);

    /** The pause between two drawings of the bar. */
    static final Duration BAR_INTERVAL = Duration.ofMillis(100);

    private static final int BAR_CELLS = 30;
    private static final int RATE_LOW_MAX = 5;

    private final Terminal terminal;
    private final String label;
    private final String unit;
    private final OptionalLong total;
    private final LongSupplier nanoTime;
    private final long startNanos;
    private long lastShownNanos;
    private int shownCharacters;

    /**
     * Work that begins now.
     *
     * @param label what is done, such as {@code publishing}
     * @param unit what is counted, such as {@code records}
     * @param total how many there are, if that is known
     * @param nanoTime the clock
     */
    Progress(Terminal terminal, String label, String unit, OptionalLong total, LongSupplier nanoTime) {
        this.terminal = terminal;
        this.label = label;
        this.unit = unit;
        this.total = total;
        this.nanoTime = nanoTime;
        this.startNanos = nanoTime.getAsLong();
        this.lastShownNanos = startNanos;
    }

    static Progress start(Terminal terminal, String label, OptionalLong total) {
        return new Progress(terminal, label, "records", total, System::nanoTime);
    }

    /** Shows that so many are done, unless something was shown a moment ago. */
    void update(long done) {
        update(done, "");
    }

    /** Shows that so many are done, with more about it behind the rate. */
    void update(long done, String detail) {
        long now = nanoTime.getAsLong();
        Duration interval = terminal.interactive() ? BAR_INTERVAL : LINE_INTERVAL;
        if (now - lastShownNanos >= interval.toNanos()) {
            show(done, detail, now);
        }
    }

    /** Shows the last state and leaves the line. */
    void finish(long done) {
        finish(done, "");
    }

    /** Shows the last state with more about it, and leaves the line. */
    void finish(long done, String detail) {
        show(done, detail, nanoTime.getAsLong());
        if (terminal.interactive()) {
            terminal.out().println();
            terminal.out().flush();
        }
    }

    /** Leaves a bar as it is, so that an error message begins on a line of its own. */
    void abandon() {
        if (terminal.interactive() && shownCharacters > 0) {
            terminal.out().println();
            terminal.out().flush();
        }
    }

    private void show(long done, String detail, long now) {
        lastShownNanos = now;
        String text = text(done, now) + detail;
        if (terminal.interactive()) {
            int padding = Math.max(0, shownCharacters - text.length());
            terminal.out().print("\r" + text + " ".repeat(padding));
            shownCharacters = text.length();
        } else {
            terminal.out().println(text);
        }
        terminal.out().flush();
    }

    private String text(long done, long now) {
        double seconds = Math.max(1, now - startNanos) / 1e9;
        String rate = rate(done / seconds) + " " + unit + "/s";
        if (total.isEmpty()) {
            return String.format(Locale.ROOT, "%-10s %,d %s, %s", label, done, unit, rate);
        }
        long all = total.getAsLong();
        double share = all == 0 ? 1 : Math.min(1, (double) done / all);
        String bar = terminal.interactive() ? bar(share) + " " : "";
        return String.format(
                Locale.ROOT,
                "%-10s %s%3d %%  %,d of %,d %s, %s",
                label,
                bar,
                (int) (share * 100),
                done,
                all,
                unit,
                rate);
    }

    /** A low rate has a digit more, so that slow work does not look like none. */
    private static String rate(double perSecond) {
        boolean low = perSecond > 0 && perSecond < RATE_LOW_MAX;
        return String.format(Locale.ROOT, low ? "%.1f" : "%,.0f", perSecond);
    }

    private static String bar(double share) {
        int full = (int) (share * BAR_CELLS);
        return "[" + "#".repeat(full) + ".".repeat(BAR_CELLS - full) + "]";
    }
}
