package io.millrace.local;

import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;

/** An HTTP client that sends a request only when the one before it is answered. Thread-safe. */
final class OneAtATimeHttpClient implements SdkHttpClient {
    private final SdkHttpClient client;
    private final ReentrantLock turn = new ReentrantLock(true);

    OneAtATimeHttpClient(SdkHttpClient client) {
        this.client = client;
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        ExecutableHttpRequest prepared = client.prepareRequest(request);
        return new ExecutableHttpRequest() {
            @Override
            public HttpExecuteResponse call() throws IOException {
                turn.lock();
                try {
                    return prepared.call();
                } finally {
                    turn.unlock();
                }
            }

            @Override
            public void abort() {
                prepared.abort();
            }
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
