package io.millrace.cli;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/**
 * Where a command writes: results and progress to {@code out}, errors to {@code err}.
 *
 * @param interactive whether a person looks at {@code out}, so that a bar can be redrawn in place
 */
record Terminal(PrintWriter out, PrintWriter err, boolean interactive) {

    /** The terminal of this process. */
    @SuppressWarnings("SystemConsoleNull") // The launcher asks newer Javas for the old behaviour by jdk.console.
    static Terminal ofProcess() {
        String type = System.getenv("TERM");
        boolean interactive = System.console() != null && type != null && !type.equals("dumb");
        return new Terminal(writer(System.out), writer(System.err), interactive);
    }

    /** This terminal, but for what goes to {@code out}. */
    Terminal quiet() {
        return new Terminal(new PrintWriter(Writer.nullWriter()), err, false);
    }

    private static PrintWriter writer(PrintStream stream) {
        return new PrintWriter(stream, true, StandardCharsets.UTF_8);
    }
}
