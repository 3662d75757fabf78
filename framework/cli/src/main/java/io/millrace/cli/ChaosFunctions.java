package io.millrace.cli;

import io.millrace.PipelineDefinition;
import io.millrace.local.FunctionInvoker;
import io.millrace.local.ProcessChaos;
import io.millrace.local.ProcessChaos.Misfortune;
import io.millrace.local.ProcessFunctionInvoker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkSystemSetting;

/** The function of a pipeline of one stage in processes of its own, with its chaos. Not thread-safe. */
final class ChaosFunctions implements AutoCloseable {
    private static final List<String> JVM_OPTIONS =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx256m");

    private final ChaosOptions options;
    private final String pipelineClass;
    private final String name;
    private final Map<String, String> environment;
    private final FunctionLogs logs = new FunctionLogs();
    private ProcessChaos chaos;
    private @Nullable ProcessFunctionInvoker function;

    ChaosFunctions(ChaosOptions options, PipelineDefinition pipeline, Map<String, String> environment) {
        this.options = options;
        this.pipelineClass = pipeline.getClass().getName();
        this.name = pipeline.name();
        this.environment = environment;
        this.chaos = ProcessChaos.builder(options.seed()).build();
    }

    /** Spreads the chaos over so many records; before the start. */
    void spreadOver(long records) {
        chaos = ProcessChaos.builder(options.seed())
                .kills(options.kills())
                .timeOuts(options.timeOuts())
                .records(records)
                .build();
    }

    /** The function of the stage of a uid. */
    FunctionInvoker start(String stage) {
        List<String> jvmOptions = new ArrayList<>(JVM_OPTIONS);
        if (cborIsOff()) {
            jvmOptions.add("-D" + SdkSystemSetting.CBOR_ENABLED.property() + "=false");
        }
        ProcessFunctionInvoker started = ProcessFunctionInvoker.builder(name + "-" + stage)
                .javaHomes(options.javas().stream().map(JavaHome::home).toList())
                .jvmOptions(jvmOptions)
                .environment(environment)
                .environment(Map.of("MILLRACE_PIPELINE", pipelineClass, "MILLRACE_STAGE", stage))
                .outputLines(logs)
                .chaos(chaos)
                .build();
        function = started;
        return started;
    }

    private static boolean cborIsOff() {
        return "false".equals(System.getProperty(SdkSystemSetting.CBOR_ENABLED.property()));
    }

    /** What was done to the processes so far. */
    Map<Misfortune, Long> injected() {
        return chaos.injected();
    }

    FunctionLogs logs() {
        return logs;
    }

    int processes() {
        return function == null ? 0 : function.processes();
    }

    /** How many invocations each Java has begun, by its version. */
    Map<String, Long> invocationsByVersion() {
        Map<String, Long> byVersion = new TreeMap<>();
        Map<Path, Long> byHome = function == null ? Map.of() : function.invocationsByJava();
        for (JavaHome java : options.javas()) {
            byVersion.merge(java.version(), byHome.getOrDefault(java.home(), 0L), Long::sum);
        }
        return byVersion;
    }

    /** Ends all processes. */
    @Override
    public void close() {
        if (function != null) {
            function.close();
        }
    }
}
