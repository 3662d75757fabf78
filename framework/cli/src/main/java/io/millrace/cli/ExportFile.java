package io.millrace.cli;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/**
 * What an export writes to. A file is written under a temporary name beside it and moved when it is complete, so that
 * there is all of it or nothing; standard output is written as it comes. Not thread-safe.
 */
final class ExportFile implements AutoCloseable {
    /** What stands for standard output. */
    static final String STANDARD_OUTPUT = "-";

    /** After how many characters standard output is asked whether anybody still reads it. */
    private static final int CHECK_CHARACTERS = 1 << 16;

    private final @Nullable Path target;
    private final @Nullable Path temporary;
    private final @Nullable BufferedWriter writer;
    private final PrintWriter standardOutput;
    private int uncheckedCharacters;

    private ExportFile(@Nullable Path target, @Nullable Path temporary, PrintWriter standardOutput) throws IOException {
        this.target = target;
        this.temporary = temporary;
        this.writer = temporary == null ? null : Files.newBufferedWriter(temporary);
        this.standardOutput = standardOutput;
    }

    /** Refuses a file that cannot be written, or moved into place. */
    static void check(Path file) {
        ResultFile.checkWritable(file);
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw CommandFailure.usage(
                    "The output '" + file + "' is no regular file, which an export replaces when it is"
                            + " complete. Name another one, or " + STANDARD_OUTPUT + " for standard output.");
        }
    }

    static ExportFile open(String output, Terminal terminal) throws IOException {
        if (output.equals(STANDARD_OUTPUT)) {
            return new ExportFile(null, null, terminal.out());
        }
        Path target = Path.of(output).toAbsolutePath();
        Path temporary = target.resolveSibling(
                target.getFileName() + "." + ProcessHandle.current().pid() + ".part");
        // For a process that is interrupted; otherwise the file is moved or deleted by then.
        temporary.toFile().deleteOnExit();
        return new ExportFile(target, temporary, terminal.out());
    }

    void write(String text) throws IOException {
        if (writer != null) {
            writer.write(text);
            return;
        }
        standardOutput.write(text);
        uncheckedCharacters += text.length();
        if (uncheckedCharacters >= CHECK_CHARACTERS) {
            checkStandardOutput();
        }
    }

    private void checkStandardOutput() throws IOException {
        uncheckedCharacters = 0;
        if (standardOutput.checkError()) {
            throw new IOException("standard output is closed");
        }
    }

    /** Puts the file in its place. */
    void complete() throws IOException {
        if (writer == null || temporary == null || target == null) {
            checkStandardOutput();
            return;
        }
        writer.close();
        Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Takes away what is not complete. */
    @Override
    public void close() throws IOException {
        if (writer != null && temporary != null) {
            writer.close();
            Files.deleteIfExists(temporary);
        }
    }
}
