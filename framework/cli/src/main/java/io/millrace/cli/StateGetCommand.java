package io.millrace.cli;

import io.millrace.aws.StateReader;
import io.millrace.aws.StoredCell;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code millrace state get}: shows one cell. */
@Command(name = "get", description = "Shows all that a stage keeps of one key.", mixinStandardHelpOptions = true)
final class StateGetCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private StatePlace place = new StatePlace();

    @Parameters(index = "1", paramLabel = "STAGE", description = "The uid of the stage, as ls shows it.")
    private String stage = "";

    @Parameters(
            index = "2",
            paramLabel = "KEY",
            description =
                    "The key's text, as ls shows it: a number in decimal, a UUID in lower case, a composite key as its"
                            + " parts, each behind its length, such as 3:ZRH2:LX.")
    private String key = "";

    @Option(names = "--json", description = "Prints one JSON object.")
    private boolean json;

    StateGetCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        return place.work(this::show);
    }

    private int show(StateReader state) {
        Optional<StoredCell> found = state.cell(stage, key);
        if (found.isEmpty()) {
            throw state.stages().contains(stage) ? unknownKey(state) : CellCounts.unknownStage(state, stage);
        }
        StoredCell cell = found.get();
        if (json) {
            terminal.out().println(CellText.json(cell));
        } else {
            CellText.lines(cell).forEach(terminal.out()::println);
        }
        return cell.isReadable() ? Millrace.EXIT_OK : Millrace.EXIT_FAILED;
    }

    private CommandFailure unknownKey(StateReader state) {
        return CommandFailure.failed(
                "There is no cell of the key '" + key + "' in stage '" + stage + "' of '" + state.pipeline()
                        + "', generation " + state.generation() + ": no item " + state.itemKey(stage, key) + " "
                        + state.place()
                        + ". The key is the text that its codec gives: a Long in decimal, a UUID in lower case, a"
                        + " composite key as its parts, each behind its length (3:ZRH2:LX). List those that there are:"
                        + " ./millrace state ls " + place.arguments() + " --stage " + stage,
                null);
    }
}
