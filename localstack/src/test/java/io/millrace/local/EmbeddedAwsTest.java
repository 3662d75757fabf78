package io.millrace.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.SdkHttpMethod;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.GetRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequestEntry;
import software.amazon.awssdk.services.kinesis.model.Record;
import software.amazon.awssdk.services.kinesis.model.ShardIteratorType;

class EmbeddedAwsTest {
    @Test
    void clientsOnThePortAndInProcessSeeTheSameStreams() throws IOException {
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", 0);
                KinesisClient inProcess = client(aws.httpClient(), URI.create("http://embedded.invalid"));
                KinesisClient onPort = client(UrlConnectionHttpClient.create(), server.endpoint())) {
            inProcess.createStream(request -> request.streamName("flights").shardCount(1));
            onPort.putRecord(
                    request -> request.streamName("flights").partitionKey("k").data(SdkBytes.fromUtf8String("x")));
            assertThat(readAll(inProcess)).extracting(Record::partitionKey).containsExactly("k");
        }
    }

    @Test
    void takenPortIsNamed() throws IOException {
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", 0)) {
            int port = server.endpoint().getPort();
            assertThatThrownBy(() -> aws.listen("127.0.0.1", port))
                    .isInstanceOf(BindException.class)
                    .hasMessageContaining("127.0.0.1:" + port)
                    .hasMessageContaining("another process using port " + port);
            assertThatThrownBy(() -> aws.listen("127.0.0.1", 65_536))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("65536");
        }
    }

    @Test
    void closingFreesThePort() throws IOException {
        int port;
        try (EmbeddedAws aws = EmbeddedAws.create()) {
            port = aws.listen("127.0.0.1", 0).endpoint().getPort();
        }
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", port)) {
            assertThat(server.endpoint()).isEqualTo(URI.create("http://127.0.0.1:" + port));
        }
    }

    @Test
    void plainHttpRequestsGetAwsErrors() throws Exception {
        try (EmbeddedAws aws = EmbeddedAws.create();
                EmbeddedAwsServer server = aws.listen("127.0.0.1", 0)) {
            HttpResponse<String> response = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(server.endpoint())
                                    .header("X-Amz-Target", "Kinesis_20131202.DescribeStream")
                                    .header("Content-Type", "application/x-amz-json-1.1")
                                    .POST(HttpRequest.BodyPublishers.ofString("{\"StreamName\":\"none\"}"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(response.headers().firstValue("x-amzn-ErrorType")).hasValue("ResourceNotFoundException");
            assertThat(response.body())
                    .isEqualTo("{\"__type\":\"ResourceNotFoundException\","
                            + "\"message\":\"Stream none under account 000000000000 not found.\"}");
        }
    }

    @Test
    void abortedRequestIsNotSent() {
        try (EmbeddedAws aws = EmbeddedAws.create()) {
            SdkHttpRequest head = SdkHttpRequest.builder()
                    .method(SdkHttpMethod.POST)
                    .uri(URI.create("http://embedded.invalid/"))
                    .build();
            ExecutableHttpRequest request = aws.httpClient()
                    .prepareRequest(HttpExecuteRequest.builder().request(head).build());
            request.abort();
            assertThatThrownBy(request::call).isInstanceOf(IOException.class).hasMessageContaining("aborted");
        }
    }

    @Test
    void sameClockAndSeedGiveTheSameNumbers() {
        assertThat(numbersOfARun()).isEqualTo(numbersOfARun());
    }

    @Test
    void manyRecordsComeBackInOrder() {
        int batches = 40;
        int batchSize = 500;
        try (EmbeddedAws aws = EmbeddedAws.create();
                KinesisClient kinesis = client(aws.httpClient(), URI.create("http://embedded.invalid"))) {
            kinesis.createStream(request -> request.streamName("flights").shardCount(1));
            for (int batch = 0; batch < batches; batch++) {
                List<PutRecordsRequestEntry> entries = new ArrayList<>();
                for (int i = 0; i < batchSize; i++) {
                    entries.add(PutRecordsRequestEntry.builder()
                            .partitionKey("key-" + i)
                            .data(SdkBytes.fromUtf8String(Integer.toString(batch * batchSize + i)))
                            .build());
                }
                kinesis.putRecords(request -> request.streamName("flights").records(entries));
            }
            List<Record> records = readAll(kinesis);
            assertThat(records).hasSize(batches * batchSize);
            for (int i = 0; i < records.size(); i++) {
                assertThat(records.get(i).data().asUtf8String()).isEqualTo(Integer.toString(i));
            }
        }
    }

    private static List<String> numbersOfARun() {
        try (EmbeddedAws aws =
                        EmbeddedAws.builder().clock(new ManualClock()).seed(3).build();
                KinesisClient kinesis = client(aws.httpClient(), URI.create("http://embedded.invalid"))) {
            kinesis.createStream(request -> request.streamName("flights").shardCount(1));
            List<String> numbers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                var put = kinesis.putRecord(request ->
                        request.streamName("flights").partitionKey("k").data(SdkBytes.fromUtf8String("x")));
                numbers.add(put.sequenceNumber());
                numbers.add(put.responseMetadata().requestId());
            }
            return numbers;
        }
    }

    private static List<Record> readAll(KinesisClient kinesis) {
        String next = kinesis.getShardIterator(request -> request.streamName("flights")
                        .shardId("shardId-000000000000")
                        .shardIteratorType(ShardIteratorType.TRIM_HORIZON))
                .shardIterator();
        List<Record> records = new ArrayList<>();
        GetRecordsResponse read;
        do {
            String iterator = next;
            read = kinesis.getRecords(request -> request.shardIterator(iterator));
            records.addAll(read.records());
            next = read.nextShardIterator();
        } while (read.millisBehindLatest() > 0);
        return records;
    }

    private static KinesisClient client(SdkHttpClient http, URI endpoint) {
        return KinesisClient.builder()
                .httpClient(http)
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("id", "secret")))
                .build();
    }
}
