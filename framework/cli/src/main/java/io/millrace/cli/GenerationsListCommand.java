package io.millrace.cli;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.aws.StoredGeneration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code millrace generations ls}: the generations of a pipeline, and how they came of each other. */
@Command(
        name = "ls",
        description = "Lists the generations of a pipeline, and which checkpoint each was restored from.",
        mixinStandardHelpOptions = true)
final class GenerationsListCommand implements Callable<Integer> {
    private final Terminal terminal;

    @Mixin
    private CheckpointsOptions options = new CheckpointsOptions();

    GenerationsListCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws Exception {
        return options.work(checkpoints -> {
            checkpoints.generations().forEach(this::show);
            return Millrace.EXIT_OK;
        });
    }

    private void show(StoredGeneration generation) {
        if (options.json()) {
            ObjectNode json = JsonNodeFactory.instance.objectNode();
            json.put("generation", generation.number());
            json.put("current", generation.isCurrent());
            json.put("parent", generation.parent().orElse(null));
            json.put("checkpoint", generation.checkpoint().orElse(null));
            json.put("begun", generation.begun().map(Object::toString).orElse(null));
            terminal.out().println(json);
            return;
        }
        String origin = generation
                .checkpoint()
                .map(checkpoint -> "of checkpoint " + checkpoint + " of generation "
                        + generation.parent().orElseThrow() + ", since "
                        + generation.begun().orElseThrow())
                .orElse("the first one");
        terminal.out().println(generation.number() + (generation.isCurrent() ? "  current  " : "           ") + origin);
    }
}
