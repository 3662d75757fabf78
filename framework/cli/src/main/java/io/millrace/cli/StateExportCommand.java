package io.millrace.cli;

import io.millrace.aws.StateReader;
import io.millrace.aws.StoredCell;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code millrace state export}: writes all cells to a file. */
@Command(
        name = "export",
        description = "Writes the cells of a pipeline to a file: as JSON lines, or each value as a row of CSV.",
        mixinStandardHelpOptions = true)
final class StateExportCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private StatePlace place = new StatePlace();

    @Option(names = "--stage", paramLabel = "UID", description = "Only those of this stage.")
    private @Nullable String stage;

    @Option(
            names = "--output",
            paramLabel = "FILE",
            required = true,
            description = "The file, which appears when it is complete; - for standard output.")
    private String output = "";

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "json (a cell a line) or csv (a value a row). Default: csv if FILE ends in .csv, else json.")
    private @Nullable String format;

    StateExportCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        CellFormat wanted = CellFormat.of(format, output);
        if (!output.equals(ExportFile.STANDARD_OUTPUT)) {
            ExportFile.check(Path.of(output));
        }
        return place.work(state -> export(state, wanted));
    }

    private int export(StateReader state, CellFormat wanted) {
        Iterable<StoredCell> cells = stage == null ? state.cells() : state.cells(stage);
        Terminal errors = new Terminal(terminal.err(), terminal.err(), terminal.interactive());
        Progress progress = new Progress(errors, "exporting", "cells", OptionalLong.empty(), System::nanoTime);
        CellCounts counts = new CellCounts();
        boolean complete = false;
        try (ExportFile file = ExportFile.open(output, terminal)) {
            file.write(wanted.head());
            for (StoredCell cell : cells) {
                file.write(wanted.text(cell));
                counts.add(cell);
                progress.update(counts.cells(), bytes(counts));
            }
            counts.checkStage(state, stage);
            file.complete();
            complete = true;
        } catch (IOException e) {
            throw CommandFailure.failed("The output '" + output + "' cannot be written: " + e + ".", e);
        } finally {
            if (!complete) {
                progress.abandon();
            }
        }
        progress.finish(counts.cells(), bytes(counts));
        terminal.err()
                .println(
                        counts.cells() == 0
                                ? "There are no cells in generation " + state.generation() + "."
                                : counts.text());
        return counts.exitCode();
    }

    private static String bytes(CellCounts counts) {
        return String.format(Locale.ROOT, ", %,d bytes", counts.bytes());
    }
}
