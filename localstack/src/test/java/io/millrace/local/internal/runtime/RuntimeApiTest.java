package io.millrace.local.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.local.internal.wire.AwsRequest;
import io.millrace.local.internal.wire.AwsResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RuntimeApiTest {
    private static final String ID = "8476a536-e9f4-11e8-9739-2dfe598c3fcd";
    private static final String INVOCATION = "/2018-06-01/runtime/invocation/";

    private final RuntimeApi api = new RuntimeApi("arn:aws:lambda:us-east-1:000000000000:function:f");
    private final RuntimeInvocation invocation = new RuntimeInvocation(
            ID, "{\"Records\":[]}".getBytes(StandardCharsets.UTF_8), Instant.ofEpochMilli(1_700_000_000_123L));

    @Test
    void theNextInvocationComesWithAllThatTheRuntimeClientReads() throws IOException {
        assertThat(api.asked()).isNotDone();
        api.offer(invocation);
        AwsResponse next = api.handle(request("GET", INVOCATION + "next", ""));
        assertThat(next.status()).isEqualTo(200);
        assertThat(next.body()).asString(StandardCharsets.UTF_8).isEqualTo("{\"Records\":[]}");
        assertThat(next.headers())
                // Without it AWS's client crashes (a SIGSEGV in its native part).
                .containsEntry("Content-Type", "application/json")
                .containsEntry("Lambda-Runtime-Aws-Request-Id", ID)
                .containsEntry("Lambda-Runtime-Deadline-Ms", "1700000000123")
                .containsEntry(
                        "Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:us-east-1:000000000000:function:f");
        assertThat(next.headers().get("Lambda-Runtime-Trace-Id"))
                .matches("Root=1-[0-9a-f]{8}-[0-9a-f]{24};Parent=[0-9a-f]{16};Sampled=0");
        assertThat(api.asked()).isCompleted();
        assertThat(invocation.delivered()).isCompleted();
    }

    @Test
    void aResponseAnswersItsInvocationOnce() throws IOException {
        api.offer(invocation);
        AwsResponse accepted = api.handle(request("POST", INVOCATION + ID + "/response", "null"));
        assertThat(accepted.status()).isEqualTo(202);
        assertThat(invocation.answer().join())
                .isInstanceOfSatisfying(
                        RuntimeAnswer.Response.class,
                        response -> assertThat(response.body())
                                .asString(StandardCharsets.UTF_8)
                                .isEqualTo("null"));
        AwsResponse again = api.handle(request("POST", INVOCATION + ID + "/response", "null"));
        assertThat(again.status()).isEqualTo(400);
        assertThat(again.body()).asString(StandardCharsets.UTF_8).contains("InvalidRequestID");
    }

    @Test
    void anErrorIsTakenFromTheBodyOrElseFromTheHeader() throws IOException {
        api.offer(invocation);
        api.handle(request(
                "POST",
                INVOCATION + ID + "/error",
                "{\"errorMessage\":\"no\",\"stackTrace\":[\"a\",[\"b\"]],\"errorType\":\"java.lang.Error\"}"));
        assertThat(invocation.answer().join()).isEqualTo(new RuntimeAnswer.Failed("java.lang.Error", "no"));

        assertThat(api.initError()).isNull();
        api.handle(new AwsRequest(
                "POST",
                "/2018-06-01/runtime/init/error",
                "",
                Map.of("Lambda-Runtime-Function-Error-Type", List.of("Runtime.BadFunctionCode")),
                "plain".getBytes(StandardCharsets.UTF_8)));
        assertThat(api.initError()).isEqualTo(new RuntimeAnswer.Failed("Runtime.BadFunctionCode", "plain"));
    }

    @Test
    void aResponseAboveLambdasLimitFailsTheInvocation() throws IOException {
        api.offer(invocation);
        String large = "x".repeat(RuntimeApi.RESPONSE_BYTES_MAX + 1);
        assertThat(api.handle(request("POST", INVOCATION + ID + "/response", large))
                        .status())
                .isEqualTo(413);
        assertThat(invocation.answer().join())
                .isEqualTo(new RuntimeAnswer.Failed(
                        "Function.ResponseSizeTooLarge",
                        "Response payload size exceeded maximum allowed payload size (6291556 bytes)."));
    }

    @Test
    void anythingElseIsNotFoundAndASecondInvocationIsRefused() throws IOException {
        assertThat(api.handle(request("GET", "/2018-06-01/runtime/other", "")).status())
                .isEqualTo(404);
        api.offer(invocation);
        assertThatThrownBy(() -> api.offer(new RuntimeInvocation("2", new byte[0], Instant.EPOCH)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("one at a time");
        RuntimeAnswer end = new RuntimeAnswer.Exited("gone");
        api.answerAll(end);
        assertThat(invocation.answer().join()).isEqualTo(end);
    }

    private static AwsRequest request(String method, String path, String body) {
        return new AwsRequest(method, path, "", Map.of(), body.getBytes(StandardCharsets.UTF_8));
    }
}
