package io.millrace.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;

class OneAtATimeProxyTest {
    private static final int CLIENTS = 8;
    private static final int WORK_BYTES = 8 << 20;

    @Test
    void requestsAndErrorsPassThrough() throws IOException {
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", 0);
                OneAtATimeProxy proxy = OneAtATimeProxy.of(server.endpoint());
                AwsEndpoint endpoint = AwsEndpoint.at(proxy.endpoint());
                DynamoDbClient dynamoDb = endpoint.dynamoDb()) {
            assertThat(dynamoDb.listTables().tableNames()).isEmpty();
            assertThatThrownBy(() -> dynamoDb.describeTable(request -> request.tableName("none")))
                    .isInstanceOf(ResourceNotFoundException.class);
        }
    }

    @Test
    void whatIsNotThereBreaksTheConnection() throws IOException {
        try (OneAtATimeProxy proxy = OneAtATimeProxy.of(URI.create("http://127.0.0.1:1"));
                AwsEndpoint endpoint = AwsEndpoint.at(proxy.endpoint());
                DynamoDbClient dynamoDb = endpoint.dynamoDb()) {
            assertThatThrownBy(dynamoDb::listTables).isInstanceOf(SdkClientException.class);
        }
    }

    @Test
    void aRequestIsPassedOnWhenTheOneBeforeIsAnswered() throws Exception {
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger atOnceMost = new AtomicInteger();
        HttpServer target = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), CLIENTS);
        ExecutorService threads = Executors.newFixedThreadPool(2 * CLIENTS);
        target.setExecutor(threads);
        target.createContext("/", exchange -> {
            atOnceMost.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            // Some work, so that another request would have the time to come in between.
            new CRC32().update(new byte[WORK_BYTES]);
            byte[] body = "{\"TableNames\":[]}".getBytes(StandardCharsets.UTF_8);
            atOnce.decrementAndGet();
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        target.start();
        try (OneAtATimeProxy proxy = OneAtATimeProxy.of(
                        URI.create("http://127.0.0.1:" + target.getAddress().getPort()));
                AwsEndpoint endpoint = AwsEndpoint.at(proxy.endpoint());
                DynamoDbClient dynamoDb = endpoint.dynamoDb()) {
            List<Future<?>> requests = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                requests.add(threads.submit(() -> {
                    for (int i = 0; i < 20; i++) {
                        dynamoDb.listTables();
                    }
                }));
            }
            for (Future<?> request : requests) {
                request.get(60, TimeUnit.SECONDS);
            }
            assertThat(atOnceMost).hasValue(1);
        } finally {
            target.stop(0);
            threads.shutdownNow();
        }
    }
}
