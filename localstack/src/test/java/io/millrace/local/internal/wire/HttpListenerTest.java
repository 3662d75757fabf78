package io.millrace.local.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HttpListenerTest {
    @Test
    void requestReachesTheHandlerWhole() throws Exception {
        AwsHandler echo = request -> {
            String seen = request.method() + " " + request.path() + "?" + request.query() + " "
                    + request.header("x-amz-target") + " " + new String(request.body(), StandardCharsets.UTF_8);
            return new AwsResponse(203, Map.of("X-Seen", "yes"), seen.getBytes(StandardCharsets.UTF_8));
        };
        HttpResponse<String> response = post(echo);
        assertThat(response.statusCode()).isEqualTo(203);
        assertThat(response.headers().firstValue("X-Seen")).hasValue("yes");
        assertThat(response.body()).isEqualTo("POST /a%20b?c=d T.Op é");
    }

    /** An IOException of the handler stands for a lost response: the client must not see any. */
    @Test
    void lostResponseIsABrokenConnection() {
        AwsHandler losing = request -> {
            throw new IOException("the response is lost");
        };
        assertThatThrownBy(() -> post(losing)).isInstanceOf(IOException.class);
    }

    @Test
    void emptyResponseHasNoBody() throws Exception {
        HttpResponse<String> response = post(request -> new AwsResponse(200, Map.of(), new byte[0]));
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
    }

    /** Only the length of what HEAD leaves out is told: of an object, it is its size. */
    @Test
    void lengthOfTheBodyThatHeadLeavesOutIsTold() throws Exception {
        AwsHandler handler = request -> new AwsResponse(200, Map.of("Content-Length", "17"), new byte[0]);
        try (HttpListener listener = HttpListener.start(handler, "127.0.0.1", 0)) {
            HttpResponse<String> response = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(listener.endpoint())
                                    .method("HEAD", HttpRequest.BodyPublishers.noBody())
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(response.headers().firstValue("Content-Length")).hasValue("17");
            assertThat(response.body()).isEmpty();
        }
    }

    private static HttpResponse<String> post(AwsHandler handler) throws Exception {
        try (HttpListener listener = HttpListener.start(handler, "127.0.0.1", 0)) {
            return HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(listener.endpoint().resolve("/a%20b?c=d"))
                                    .header("X-Amz-Target", "T.Op")
                                    .POST(HttpRequest.BodyPublishers.ofString("é"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
        }
    }
}
