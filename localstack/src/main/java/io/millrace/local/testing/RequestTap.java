package io.millrace.local.testing;

import io.millrace.local.internal.faults.AwsRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;

/**
 * The HTTP client below the SDK clients of a driver. While an invocation runs it notes the requests, and ends the
 * invocation at its crash point: then nothing of it reaches AWS any more. Other requests pass. Single-threaded.
 */
final class RequestTap implements SdkHttpClient {
    private @Nullable SdkHttpClient client;
    private List<String> operations = new ArrayList<>();
    private @Nullable CrashPoint crashPoint;
    private boolean open;
    private boolean crashed;

    /** Sends all further requests to an AWS. */
    void pointTo(SdkHttpClient newClient) {
        client = newClient;
        open = false;
    }

    /** An invocation begins. */
    void begin(@Nullable CrashPoint newCrashPoint) {
        operations = new ArrayList<>();
        crashPoint = newCrashPoint;
        crashed = false;
        open = true;
    }

    /** The invocation has ended. */
    void end() {
        open = false;
    }

    /** Lets requests pass that are not the invocation's own. */
    void pass(Runnable requests) {
        boolean before = open;
        open = false;
        try {
            requests.run();
        } finally {
            open = before;
        }
    }

    /** Whether the invocation has met its crash point. */
    boolean hasCrashed() {
        return crashed;
    }

    /** The operations of the invocation's requests, in their order; refused ones are left out. */
    List<String> operations() {
        return List.copyOf(operations);
    }

    private HttpExecuteResponse execute(HttpExecuteRequest request) throws IOException {
        ExecutableHttpRequest prepared =
                Objects.requireNonNull(client, "it is pointed to an AWS first").prepareRequest(request);
        if (!open) {
            return prepared.call();
        }
        if (crashed) {
            throw new FunctionCrashed();
        }
        String operation = AwsRequest.of(request, "").operation();
        operations.add(operation);
        boolean isHere = crashPoint != null && crashPoint.isAt(operations.size(), operation);
        if (isHere && crashPoint != null && !crashPoint.after()) {
            throw crash();
        }
        HttpExecuteResponse response = prepared.call();
        if (isHere) {
            throw crash();
        }
        return response;
    }

    private FunctionCrashed crash() {
        crashed = true;
        return new FunctionCrashed();
    }

    @Override
    public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
        return new ExecutableHttpRequest() {
            @Override
            public HttpExecuteResponse call() throws IOException {
                return execute(request);
            }

            @Override
            public void abort() {
                // An answer in memory needs no abort.
            }
        };
    }

    @Override
    public String clientName() {
        return "MillraceTest";
    }

    @Override
    public void close() {
        // The client of an embedded AWS holds nothing.
    }
}
