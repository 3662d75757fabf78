package io.millrace.local.internal.runtime;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.millrace.local.internal.wire.AwsHandler;
import io.millrace.local.internal.wire.AwsRequest;
import io.millrace.local.internal.wire.AwsResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Lambda's runtime API (2018-06-01) for one execution environment: its process asks for the next invocation, which may
 * take long, and posts the answer. Thread-safe.
 */
final class RuntimeApi implements AwsHandler {
    /** Lambda's limit on the payload of a synchronous response. */
    static final int RESPONSE_BYTES_MAX = 6_291_556;

    private static final String VERSION = "/2018-06-01/runtime";
    private static final String INVOCATION = VERSION + "/invocation/";
    private static final String NEXT = INVOCATION + "next";
    private static final String INIT_ERROR = VERSION + "/init/error";
    private static final String RESPONSE = "/response";
    private static final String ERROR = "/error";
    private static final String ERROR_TYPE_HEADER = "Lambda-Runtime-Function-Error-Type";
    private static final String UNKNOWN_ERROR = "Runtime.UnknownReason";
    private static final RuntimeAnswer.Failed TOO_LARGE = new RuntimeAnswer.Failed(
            "Function.ResponseSizeTooLarge",
            "Response payload size exceeded maximum allowed payload size (" + RESPONSE_BYTES_MAX + " bytes).");
    private static final JsonFactory JSON = new JsonFactory();

    private final String functionArn;
    /** An environment has one invocation at a time. */
    private final BlockingQueue<RuntimeInvocation> waiting = new ArrayBlockingQueue<>(1);

    private final Map<String, RuntimeInvocation> underWay = new ConcurrentHashMap<>();
    private final CompletableFuture<Void> asked = new CompletableFuture<>();
    private volatile RuntimeAnswer.@Nullable Failed initError;

    RuntimeApi(String functionArn) {
        this.functionArn = functionArn;
    }

    /** Completed when the process has asked for an invocation for the first time: its start is over. */
    CompletableFuture<Void> asked() {
        return asked;
    }

    /** Why the runtime could not start the function; null if it could, or has not said so yet. */
    RuntimeAnswer.@Nullable Failed initError() {
        return initError;
    }

    /**
     * Gives the process this invocation when it asks next.
     *
     * @throws IllegalStateException if another one waits for it
     */
    void offer(RuntimeInvocation invocation) {
        underWay.put(invocation.requestId(), invocation);
        if (!waiting.offer(invocation)) {
            throw new IllegalStateException(
                    "An invocation waits already; an execution environment takes one at a time");
        }
    }

    /** Answers all that is open in the process's place. */
    void answerAll(RuntimeAnswer answer) {
        underWay.values().forEach(invocation -> invocation.answer().complete(answer));
        underWay.clear();
    }

    @Override
    public AwsResponse handle(AwsRequest request) throws IOException {
        String path = request.path();
        if (request.method().equals("GET") && path.equals(NEXT)) {
            return next();
        }
        if (request.method().equals("POST") && path.equals(INIT_ERROR)) {
            initError = failure(request);
            return accepted();
        }
        if (request.method().equals("POST") && path.startsWith(INVOCATION) && path.endsWith(RESPONSE)) {
            return answer(path, RESPONSE, responseOf(request));
        }
        if (request.method().equals("POST") && path.startsWith(INVOCATION) && path.endsWith(ERROR)) {
            return answer(path, ERROR, failure(request));
        }
        return json(404, "{\"errorMessage\":\"Not found\",\"errorType\":\"NotFound\"}");
    }

    private AwsResponse next() throws IOException {
        asked.complete(null);
        RuntimeInvocation invocation;
        try {
            invocation = waiting.take();
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the runtime API was closed");
        }
        invocation.delivered().complete(null);
        return new AwsResponse(
                200,
                Map.of(
                        // The native part of AWS's runtime interface client crashes at an answer without a content
                        // type.
                        "Content-Type",
                        "application/json",
                        "Lambda-Runtime-Aws-Request-Id",
                        invocation.requestId(),
                        "Lambda-Runtime-Deadline-Ms",
                        String.valueOf(invocation.deadline().toEpochMilli()),
                        "Lambda-Runtime-Invoked-Function-Arn",
                        functionArn,
                        "Lambda-Runtime-Trace-Id",
                        traceId(invocation)),
                invocation.event());
    }

    /** In X-Ray's form: the version, eight digits of seconds, 24 of the identity. */
    private static String traceId(RuntimeInvocation invocation) {
        String digits = invocation.requestId().replace("-", "") + "0".repeat(24);
        return String.format(
                "Root=1-%08x-%s;Parent=%s;Sampled=0",
                invocation.deadline().getEpochSecond(), digits.substring(0, 24), digits.substring(8, 24));
    }

    private AwsResponse answer(String path, String suffix, RuntimeAnswer answer) {
        String requestId = path.substring(INVOCATION.length(), path.length() - suffix.length());
        RuntimeInvocation invocation = underWay.remove(requestId);
        if (invocation == null) {
            return json(400, "{\"errorMessage\":\"Invalid request ID\",\"errorType\":\"InvalidRequestID\"}");
        }
        invocation.answer().complete(answer);
        return answer instanceof RuntimeAnswer.Failed failed
                        && failed.errorType().equals(TOO_LARGE.errorType())
                ? json(
                        413,
                        "{\"errorMessage\":\"" + TOO_LARGE.errorMessage()
                                + "\",\"errorType\":\"RequestEntityTooLarge\"}")
                : accepted();
    }

    private static RuntimeAnswer responseOf(AwsRequest request) {
        return request.body().length > RESPONSE_BYTES_MAX ? TOO_LARGE : new RuntimeAnswer.Response(request.body());
    }

    private static RuntimeAnswer.Failed failure(AwsRequest request) {
        Map<String, String> members = new HashMap<>();
        try (JsonParser json = JSON.createParser(request.body())) {
            if (json.nextToken() == JsonToken.START_OBJECT) {
                readMembers(json, members);
            }
        } catch (IOException noJson) {
            members.putIfAbsent("errorMessage", new String(request.body(), StandardCharsets.UTF_8));
        }
        String type = members.getOrDefault("errorType", "");
        return new RuntimeAnswer.Failed(
                type.isEmpty() ? Objects.requireNonNullElse(request.header(ERROR_TYPE_HEADER), UNKNOWN_ERROR) : type,
                members.get("errorMessage"));
    }

    private static void readMembers(JsonParser json, Map<String, String> members) throws IOException {
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            if (json.nextToken() == JsonToken.VALUE_STRING) {
                members.put(name, json.getText());
            } else {
                json.skipChildren();
            }
        }
    }

    private static AwsResponse accepted() {
        return json(202, "{\"status\":\"OK\"}");
    }

    private static AwsResponse json(int status, String body) {
        return new AwsResponse(
                status, Map.of("Content-Type", "application/json"), body.getBytes(StandardCharsets.UTF_8));
    }
}
