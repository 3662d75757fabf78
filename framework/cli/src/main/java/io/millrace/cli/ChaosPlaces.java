package io.millrace.cli;

import io.millrace.local.AwsEndpoint;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.OneAtATimeProxy;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.kinesis.KinesisClient;

/** Where a chaos run's DynamoDB and Kinesis are, for this process and for those of the functions. */
final class ChaosPlaces implements AutoCloseable {
    private static final String HOST = "127.0.0.1";

    private final Terminal terminal;
    private final Deque<AutoCloseable> closing = new ArrayDeque<>();
    private final Place dynamoDb;
    private final Place kinesis;
    private final String description;
    private boolean moto;

    /** One place: as this process reaches it, and as the functions do. */
    private record Place(AwsEndpoint endpoint, URI forFunctions) {}

    private ChaosPlaces(Terminal terminal, ChaosOptions options) throws IOException {
        this.terminal = terminal;
        URI url = options.endpoint();
        URI kinesisUrl = options.kinesisEndpoint();
        dynamoDb = url == null ? embedded() : remote(url);
        boolean together = kinesisUrl == null || kinesisUrl.equals(url);
        kinesis = kinesisUrl == null || together ? dynamoDb : remote(kinesisUrl);
        String place = url == null ? "the embedded AWS" : url.toString();
        description = together ? place : place + " with Kinesis at " + kinesisUrl;
    }

    /** Opens the places and checks that AWS answers there. */
    static ChaosPlaces open(Terminal terminal, ChaosOptions options) throws IOException {
        ChaosPlaces places = new ChaosPlaces(terminal, options);
        try (DynamoDbClient dynamoDb = places.dynamoDb().dynamoDb();
                KinesisClient kinesis = places.kinesis().kinesis()) {
            if (options.endpoint() != null) {
                RemotePlace.checkAnswers(dynamoDb, options.endpoint(), "--endpoint");
            }
            boolean apart = options.kinesisEndpoint() != null;
            URI kinesisUrl = apart ? options.kinesisEndpoint() : options.endpoint();
            if (kinesisUrl != null) {
                RemotePlace.checkAnswers(kinesis, kinesisUrl, apart ? "--kinesis-endpoint" : "--endpoint");
            }
            return places;
        } catch (RuntimeException e) {
            places.close();
            throw e;
        }
    }

    private Place embedded() throws IOException {
        EmbeddedAws aws = EmbeddedAws.create();
        closing.push(aws);
        return new Place(AwsEndpoint.of(aws), aws.listen(HOST, 0).endpoint());
    }

    private Place remote(URI url) throws IOException {
        AwsEndpoint endpoint = RemotePlace.connect(url);
        closing.push(endpoint);
        if (!endpoint.isMoto()) {
            return new Place(endpoint, url);
        }
        if (!moto) {
            terminal.out().println(RemotePlace.MOTO_NOTE);
            moto = true;
        }
        OneAtATimeProxy proxy = OneAtATimeProxy.of(url);
        closing.push(proxy);
        AwsEndpoint behindProxy = RemotePlace.connect(proxy.endpoint());
        closing.push(behindProxy);
        return new Place(behindProxy, proxy.endpoint());
    }

    AwsEndpoint dynamoDb() {
        return dynamoDb.endpoint();
    }

    AwsEndpoint kinesis() {
        return kinesis.endpoint();
    }

    /** Whether a moto server is among them. */
    boolean moto() {
        return moto;
    }

    /** The places in words. */
    String describe() {
        return description;
    }

    /** Where the functions find the services, as variables of their environment. */
    Map<String, String> functionEnvironment() {
        Map<String, String> environment = new TreeMap<>(dynamoDb.endpoint().functionEnvironment());
        environment.put("AWS_ENDPOINT_URL_DYNAMODB", dynamoDb.forFunctions().toString());
        environment.put("AWS_ENDPOINT_URL_KINESIS", kinesis.forFunctions().toString());
        return environment;
    }

    @Override
    public void close() {
        @Nullable AutoCloseable next = closing.poll();
        while (next != null) {
            try {
                next.close();
            } catch (Exception e) {
                throw new IllegalStateException("A place could not be closed", e);
            }
            next = closing.poll();
        }
    }
}
