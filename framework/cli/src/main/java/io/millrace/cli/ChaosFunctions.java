package io.millrace.cli;

import io.millrace.local.FunctionInvoker;
import io.millrace.local.ProcessChaos;
import io.millrace.local.ProcessChaos.Misfortune;
import io.millrace.local.ProcessFunctionInvoker;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import software.amazon.awssdk.core.SdkSystemSetting;

/** The functions of a pipeline, a stage each, in processes of their own, with their chaos. Not thread-safe. */
final class ChaosFunctions implements AutoCloseable {
    private static final List<String> JVM_OPTIONS =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx256m");

    private final ChaosOptions options;
    private final FoundPipeline pipeline;
    private final Map<String, String> environment;
    private final FunctionLogs logs = new FunctionLogs();
    private ProcessChaos chaos;
    private final List<ProcessFunctionInvoker> functions = new ArrayList<>();

    ChaosFunctions(ChaosOptions options, FoundPipeline pipeline, Map<String, String> environment) {
        this.options = options;
        this.pipeline = pipeline;
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
        ProcessFunctionInvoker started = ProcessFunctionInvoker.builder(pipeline.name() + "-" + stage)
                .classPath(classPath())
                .javaHomes(options.javas().stream().map(JavaHome::home).toList())
                .jvmOptions(jvmOptions)
                .environment(environment)
                .environment(Map.of("MILLRACE_PIPELINE", pipeline.type().getName(), "MILLRACE_STAGE", stage))
                .outputLines(logs)
                .chaos(chaos)
                .build();
        functions.add(started);
        return started;
    }

    /**
     * The pipeline's jar first, so that all that it holds is what runs, its own Millrace too, as when it is deployed; behind
     * it the command's own class path, for AWS's runtime interface client.
     */
    private String classPath() {
        String own = System.getProperty("java.class.path", "");
        return pipeline.jar() == null ? own : pipeline.jar() + File.pathSeparator + own;
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
        return functions.stream().mapToInt(ProcessFunctionInvoker::processes).sum();
    }

    /** How many invocations each Java has begun, by its version. */
    Map<String, Long> invocationsByVersion() {
        Map<String, Long> byVersion = new TreeMap<>();
        for (JavaHome java : options.javas()) {
            long invocations = functions.stream()
                    .mapToLong(function -> function.invocationsByJava().getOrDefault(java.home(), 0L))
                    .sum();
            byVersion.merge(java.version(), invocations, Long::sum);
        }
        return byVersion;
    }

    /** Ends all processes. */
    @Override
    public void close() {
        functions.forEach(ProcessFunctionInvoker::close);
    }
}
