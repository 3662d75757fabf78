package io.millrace.cli;

import org.jspecify.annotations.Nullable;

/** The end of a command by an error that its user can understand: a line of text and an exit code. */
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private CommandFailure(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** The command was called with something that cannot work. */
    static CommandFailure usage(String message) {
        return usage(message, null);
    }

    static CommandFailure usage(String message, @Nullable Throwable cause) {
        return new CommandFailure(Millrace.EXIT_USAGE, message, cause);
    }

    /** The command was called well and failed. */
    static CommandFailure failed(String message, @Nullable Throwable cause) {
        return new CommandFailure(Millrace.EXIT_FAILED, message, cause);
    }

    /** The innermost cause, which says most plainly what a network has against one. */
    static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }

    int exitCode() {
        return exitCode;
    }
}
