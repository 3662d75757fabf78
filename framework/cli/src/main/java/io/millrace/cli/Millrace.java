package io.millrace.cli;

import io.millrace.MillraceException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;
import software.amazon.awssdk.core.exception.SdkException;

/** The {@code millrace} command. */
@Command(
        name = "millrace",
        description = "Exactly-once stream processing on AWS Lambda functions.",
        subcommands = {
            RunCommand.class,
            ChaosCommand.class,
            SimulateCommand.class,
            LocalCommand.class,
            DeadLettersCommand.class,
            StateCommand.class,
            CheckpointCommand.class,
            CheckpointsCommand.class,
            RestoreCommand.class,
            GenerationsCommand.class
        },
        versionProvider = Millrace.Version.class,
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class Millrace implements Runnable {
    /** All went well. */
    static final int EXIT_OK = 0;

    /** The command failed, or a run's result is not what it must be. */
    static final int EXIT_FAILED = 1;

    /** The command was called in a way that cannot work. */
    static final int EXIT_USAGE = 2;

    private static final String VERBOSE = "--verbose";
    private static final String LOGGING_PROPERTY = "slf4j.provider";
    private static final String LOGGING_TALK_PROPERTY = "slf4j.internal.verbosity";
    private static final String NO_LOGGING = "org.slf4j.helpers.NOP_FallbackServiceProvider";

    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        // The logging on the class path is for functions in processes of their own; the command reports in words.
        if (System.getProperty(LOGGING_PROPERTY) == null) {
            System.setProperty(LOGGING_PROPERTY, NO_LOGGING);
            System.setProperty(LOGGING_TALK_PROPERTY, "WARN");
        }
        System.exit(execute(Terminal.ofProcess(), arguments));
    }

    /** Runs the command and returns its exit code. */
    static int execute(Terminal terminal, String... arguments) {
        CommandLine commandLine = new CommandLine(new Millrace(), new Factory(terminal));
        // A key, such as that of state get, may begin with the @ that would name a file of arguments.
        commandLine.setExpandAtFiles(false);
        commandLine.setOut(terminal.out());
        commandLine.setErr(terminal.err());
        boolean verbose = Arrays.asList(arguments).contains(VERBOSE);
        commandLine.setParameterExceptionHandler((exception, ignored) -> {
            terminal.err().println(usageMessage(exception));
            if (verbose) {
                exception.printStackTrace(terminal.err());
            }
            return EXIT_USAGE;
        });
        commandLine.setExecutionExceptionHandler((exception, ignored, result) -> {
            terminal.err().println("millrace: " + failureMessage(exception));
            if (verbose) {
                exception.printStackTrace(terminal.err());
            }
            return exception instanceof CommandFailure failure ? failure.exitCode() : EXIT_FAILED;
        });
        return commandLine.execute(arguments);
    }

    /** Without a command there is nothing to do but to say what commands there are. */
    @Override
    public void run() {
        if (spec != null) {
            throw new ParameterException(
                    spec.commandLine(), "A command is missing; there are " + commands(spec.commandLine()) + ".");
        }
    }

    private static String usageMessage(ParameterException exception) {
        CommandLine command = exception.getCommandLine();
        String message = exception.getMessage();
        if (exception instanceof UnmatchedArgumentException unmatched
                && !command.getSubcommands().isEmpty()
                && !unmatched.getUnmatched().isEmpty()
                && !unmatched.isUnknownOption()) {
            message = "There is no command '" + unmatched.getUnmatched().get(0) + "'; there are " + commands(command)
                    + ".";
        }
        String name = command.getCommandSpec().qualifiedName();
        return "millrace: " + message + " See " + name + " --help.";
    }

    private static String commands(CommandLine command) {
        List<String> names = List.copyOf(command.getSubcommands().keySet());
        int last = names.size() - 1;
        return String.join(", ", names.subList(0, last)) + " and " + names.get(last);
    }

    private static String failureMessage(Exception exception) {
        String message = String.valueOf(exception.getMessage());
        if (exception instanceof CommandFailure || exception instanceof MillraceException) {
            return message;
        }
        if (exception instanceof SdkException) {
            return "AWS or its stand-in refused a request: " + message;
        }
        return "Unexpected " + exception.getClass().getSimpleName() + ": " + message + " (" + VERBOSE + " shows where)";
    }

    /** Makes the commands, which all write to one terminal. */
    private record Factory(Terminal terminal) implements CommandLine.IFactory {
        private static final Map<Class<?>, Function<Terminal, Object>> COMMANDS = Map.ofEntries(
                Map.entry(RunCommand.class, RunCommand::new),
                Map.entry(ChaosCommand.class, ChaosCommand::new),
                Map.entry(SimulateCommand.class, SimulateCommand::new),
                Map.entry(LocalCommand.class, LocalCommand::new),
                Map.entry(DeadLettersListCommand.class, DeadLettersListCommand::new),
                Map.entry(DeadLettersShowCommand.class, DeadLettersShowCommand::new),
                Map.entry(DeadLettersRedriveCommand.class, DeadLettersRedriveCommand::new),
                Map.entry(DeadLettersDropCommand.class, DeadLettersDropCommand::new),
                Map.entry(StateListCommand.class, StateListCommand::new),
                Map.entry(StateGetCommand.class, StateGetCommand::new),
                Map.entry(StateExportCommand.class, StateExportCommand::new),
                Map.entry(CheckpointCommand.class, CheckpointCommand::new),
                Map.entry(CheckpointsListCommand.class, CheckpointsListCommand::new),
                Map.entry(CheckpointsDescribeCommand.class, CheckpointsDescribeCommand::new),
                Map.entry(CheckpointsDeleteCommand.class, CheckpointsDeleteCommand::new),
                Map.entry(RestoreCommand.class, RestoreCommand::new),
                Map.entry(GenerationsListCommand.class, GenerationsListCommand::new),
                Map.entry(GenerationsDropCommand.class, GenerationsDropCommand::new));

        @Override
        public <K> K create(Class<K> type) throws Exception {
            Function<Terminal, Object> command = COMMANDS.get(type);
            return command == null ? CommandLine.defaultFactory().create(type) : type.cast(command.apply(terminal));
        }
    }

    /** The version that the build wrote into the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = Millrace.class.getPackage().getImplementationVersion();
            List<String> lines = new ArrayList<>();
            lines.add("millrace " + (version == null ? "(not packaged)" : version));
            lines.add("Java " + Runtime.version());
            return lines.toArray(String[]::new);
        }
    }
}
