package io.millrace.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import io.millrace.MillraceException;
import io.millrace.local.InvocationOutcome.FunctionError;
import io.millrace.local.InvocationOutcome.Returned;
import io.millrace.local.InvocationOutcome.TimedOut;
import io.millrace.local.ProcessChaos.Misfortune;
import io.millrace.local.internal.mapping.LambdaEvents;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kinesis.model.Record;

/** Functions in real processes under AWS's runtime interface client. */
@Timeout(120)
class ProcessFunctionInvokerTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration SHORT = Duration.ofSeconds(4);
    private static final String ARN = "arn:aws:kinesis:us-east-1:000000000000:stream/scripts";

    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final List<ProcessFunctionInvoker> functions = new ArrayList<>();

    @AfterEach
    void noProcessIsLeft() {
        functions.forEach(ProcessFunctionInvoker::close);
        assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive))
                .isEmpty();
    }

    @Test
    void anAnsweredInvocationLeavesTheProcessWarmAndEachHasItsOwnContext() {
        ProcessFunctionInvoker function = function(builder().environment(Map.of("MINE", "yes")));
        InvocationContext first = context(TIMEOUT);
        assertThat(function.invoke(event("tell"), first)).isInstanceOf(Returned.class);
        assertThat(succeeded(function, "ok").response())
                .satisfies(
                        response -> assertThat(response.getBatchItemFailures()).isEmpty());
        assertThat(function.processes()).isEqualTo(1);
        assertThat(lines)
                .contains(
                        "told request=" + first.requestId(),
                        "told function=scripted arn:aws:lambda:us-east-1:000000000000:function:scripted",
                        "told group=/aws/lambda/scripted memory=512",
                        "told remaining=true",
                        "told handler=io.millrace.local.ScriptedFunction::handleRequest mine=yes",
                        "told home=null");
        assertThat(function.invocationsByJava())
                .containsExactly(Map.entry(Path.of(System.getProperty("java.home")), 2L));
    }

    @Test
    void everyEndOfAnInvocationHasItsOutcome() throws InterruptedException {
        ProcessFunctionInvoker function = function(builder());
        Returned partial = (Returned) function.invoke(event("ok", "fail", "ok"), context(TIMEOUT));
        assertThat(partial.response()).isNotNull();
        assertThat(partial.response().getBatchItemFailures())
                .singleElement()
                .satisfies(failure -> assertThat(failure.getItemIdentifier()).isEqualTo("2"));

        FunctionError thrown = (FunctionError) function.invoke(event("throw"), context(TIMEOUT));
        assertThat(thrown.errorType()).isEqualTo("java.lang.IllegalStateException");
        assertThat(thrown.errorMessage()).isEqualTo("the script says so");
        assertThat(function.processes())
                .as("an exception does not end the process")
                .isEqualTo(1);

        FunctionError exited = (FunctionError) function.invoke(event("exit"), context(TIMEOUT));
        assertThat(exited.errorType()).isEqualTo("Runtime.ExitError");
        assertThat(exited.errorMessage()).contains("Error: Runtime exited with error: exit status 3", "about to leave");

        assertThat(function.invoke(event("hang"), context(SHORT))).isEqualTo(new TimedOut(SHORT));
        assertThat(lines).contains("hanging");
        assertThat(function.awaitZombies(Duration.ZERO)).isFalse();
        succeeded(function, "ok");
        assertThat(function.processes()).isEqualTo(3);
    }

    @Test
    void whatCannotStartIsAnError() {
        FunctionError noClass = (FunctionError)
                function(builder().handler("no.such.Handler::handle")).invoke(event("ok"), context(TIMEOUT));
        assertThat(noClass.errorType() + noClass.errorMessage()).contains("no.such.Handler");

        FunctionError noJava = (FunctionError)
                function(builder().javaHomes(List.of(Path.of("/no/such/java")))).invoke(event("ok"), context(TIMEOUT));
        assertThat(noJava.errorType()).isEqualTo("Runtime.InvalidEntrypoint");
        assertThat(noJava.errorMessage()).contains("/no/such/java");

        assertThatThrownBy(() -> builder().classPath("/no/such.jar").build())
                .isInstanceOf(MillraceException.class)
                .hasMessageContaining("Add the dependency com.amazonaws:aws-lambda-java-runtime-interface-client");
    }

    @Test
    void aZombieThatAnswersLateIsEndedThen() throws InterruptedException {
        ProcessChaos chaos = ProcessChaos.builder(5).timeOuts(1).build();
        ProcessFunctionInvoker function =
                function(builder().zombieLifeMax(Duration.ofMillis(300)).chaos(chaos));
        assertThat(function.invoke(event("hang"), context(TIMEOUT))).isInstanceOf(TimedOut.class);
        assertThat(chaos.injected())
                .containsEntry(Misfortune.TIME_OUT_STOPPED, 1L)
                .containsEntry(Misfortune.TIME_OUT, 0L);
        assertThat(function.awaitZombies(TIMEOUT)).isTrue();
    }

    @Test
    void killsHappenAsOftenAsAskedFor() {
        ProcessChaos chaos = ProcessChaos.builder(7).kills(4).build();
        ProcessFunctionInvoker function = function(builder().chaos(chaos));
        int failed = 0;
        for (int i = 0; i < 6; i++) {
            if (function.invoke(event("ok"), context(TIMEOUT)) instanceof FunctionError error) {
                assertThat(error.errorType()).isEqualTo("Runtime.ExitError");
                failed++;
            }
        }
        assertThat(chaos.injected().values().stream().mapToLong(Long::longValue).sum())
                .isEqualTo(4);
        assertThat(chaos.injected()).containsEntry(Misfortune.KILL_BEFORE_FIRST_EVENT, 1L);
        assertThat(failed).isBetween(3, 4);
    }

    private static Returned succeeded(ProcessFunctionInvoker function, String script) {
        InvocationOutcome outcome = function.invoke(event(script), context(TIMEOUT));
        assertThat(outcome).isInstanceOf(Returned.class);
        return (Returned) outcome;
    }

    private ProcessFunctionInvoker.Builder builder() {
        return ProcessFunctionInvoker.builder("scripted")
                .handler("io.millrace.local.ScriptedFunction::handleRequest")
                .outputLines(lines::add);
    }

    private ProcessFunctionInvoker function(ProcessFunctionInvoker.Builder builder) {
        ProcessFunctionInvoker function = builder.build();
        functions.add(function);
        return function;
    }

    private static InvocationContext context(Duration timeout) {
        return InvocationContext.starting(Clock.systemUTC(), timeout, "shardId-000000000000", 0);
    }

    private static KinesisEvent event(String... scripts) {
        List<Record> records = new ArrayList<>();
        for (String script : scripts) {
            records.add(Record.builder()
                    .partitionKey("key")
                    .sequenceNumber(String.valueOf(records.size() + 1))
                    .data(SdkBytes.fromUtf8String(script))
                    .build());
        }
        return LambdaEvents.event(ARN, "shardId-000000000000", records);
    }
}
