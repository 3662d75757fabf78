package io.millrace.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;

/** Runs the command in this JVM and keeps what it wrote. */
record Commands(int exitCode, String out, String err) {
    static Commands run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int exitCode = Millrace.execute(new Terminal(new PrintWriter(out), new PrintWriter(err), false), arguments);
        return new Commands(exitCode, out.toString(), err.toString());
    }

    @Override
    public String toString() {
        return String.join("\n", Arrays.asList("exit code " + exitCode, out, err));
    }
}
