package io.millrace.cli;

import io.millrace.local.EmbeddedAws;
import io.millrace.local.EmbeddedAwsServer;
import java.io.IOException;
import java.net.BindException;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code millrace local}: serves the embedded AWS to other processes until it is interrupted. */
@Command(
        name = "local",
        description =
                "Serves the embedded AWS (Kinesis, DynamoDB and S3, in memory) to other processes until interrupted.",
        mixinStandardHelpOptions = true)
final class LocalCommand implements Callable<Integer> {
    private static final int PORT_MAX = 65_535;

    private final Terminal terminal;

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "The port; 0 takes any free one. Default: ${DEFAULT-VALUE}.")
    private int port = 4566;

    @Option(names = "--host", paramLabel = "HOST", description = "The address to listen on. Default: ${DEFAULT-VALUE}.")
    private String host = "127.0.0.1";

    @Option(names = "--verbose", description = "Shows the stack trace of an error.")
    boolean verbose;

    LocalCommand(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public Integer call() throws IOException {
        if (port < 0 || port > PORT_MAX) {
            throw CommandFailure.usage("--port is " + port + "; 0 to " + PORT_MAX + " are possible.");
        }
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = listen(aws)) {
            String endpoint = server.endpoint().toString();
            terminal.out()
                    .println("The embedded AWS answers at " + endpoint + ", in memory, until Ctrl-C. For instance:");
            terminal.out().println("  ./millrace run flights --endpoint " + endpoint);
            terminal.out()
                    .println(
                            "  AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test aws --region us-east-1 --endpoint-url "
                                    + endpoint + " dynamodb scan --table-name on-time-board --max-items 3");
            terminal.out().flush();
            new CountDownLatch(1).await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return Millrace.EXIT_OK;
    }

    private EmbeddedAwsServer listen(EmbeddedAws aws) throws IOException {
        try {
            return aws.listen(host, port);
        } catch (BindException e) {
            throw CommandFailure.failed(
                    "Cannot listen on " + host + ":" + port + " ("
                            + CommandFailure.rootOf(e).getMessage()
                            + "). If another process, such as an earlier 'millrace local', is using the port, take another one"
                            + " with --port, or 0 for any.",
                    e);
        } catch (UnknownHostException | UnresolvedAddressException e) {
            throw CommandFailure.usage("--host is '" + host + "', which is no address of this machine.", e);
        }
    }
}
