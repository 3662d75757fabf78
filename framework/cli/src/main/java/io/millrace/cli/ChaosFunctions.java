package io.millrace.cli;

import io.millrace.local.FunctionInvoker;
import io.millrace.local.ProcessChaos;
import io.millrace.local.ProcessChaos.Misfortune;
import io.millrace.local.ProcessFunctionInvoker;
import io.millrace.local.ProcessTickInvoker;
import io.millrace.local.TickInvoker;
import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import software.amazon.awssdk.core.SdkSystemSetting;

/** The functions of a pipeline, a stage each, in processes of their own, with their chaos. Not thread-safe. */
final class ChaosFunctions implements AutoCloseable {
    /** One of so many ticks meets a misfortune, until all have happened. */
    private static final long TICKS_PER_MISFORTUNE = 2;

    private static final List<String> JVM_OPTIONS =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx256m");

    private final ChaosOptions options;
    private final FoundPipeline pipeline;
    private final Map<String, String> environment;
    private final FunctionLogs logs = new FunctionLogs();
    private final ProcessChaos tickChaos;
    private ProcessChaos chaos;
    private final List<ProcessFunctionInvoker> functions = new ArrayList<>();
    private final List<ProcessTickInvoker> ticks = new ArrayList<>();

    ChaosFunctions(ChaosOptions options, FoundPipeline pipeline, Map<String, String> environment) {
        this.options = options;
        this.pipeline = pipeline;
        this.environment = environment;
        this.chaos = ProcessChaos.builder(options.seed()).build();
        this.tickChaos = ProcessChaos.builder(options.seed())
                .kills(options.tickKills())
                .timeOuts(options.tickTimeOuts())
                .records(TICKS_PER_MISFORTUNE * (options.tickKills() + options.tickTimeOuts()))
                .build();
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
        ProcessFunctionInvoker started =
                builder(pipeline.name() + "-" + stage, stage).chaos(chaos).build();
        functions.add(started);
        return started;
    }

    /** The tick function of the stage of a uid. */
    TickInvoker startTicks(String stage) {
        ProcessTickInvoker started = ProcessTickInvoker.of(
                builder(pipeline.name() + "-" + stage + "-tick", stage).chaos(tickChaos));
        ticks.add(started);
        return started;
    }

    private ProcessFunctionInvoker.Builder builder(String functionName, String stage) {
        List<String> jvmOptions = new ArrayList<>(JVM_OPTIONS);
        if (cborIsOff()) {
            jvmOptions.add("-D" + SdkSystemSetting.CBOR_ENABLED.property() + "=false");
        }
        return ProcessFunctionInvoker.builder(functionName)
                .classPath(classPath())
                .javaHomes(options.javas().stream().map(JavaHome::home).toList())
                .jvmOptions(jvmOptions)
                .environment(environment)
                .environment(Map.of("MILLRACE_PIPELINE", pipeline.type().getName(), "MILLRACE_STAGE", stage))
                .outputLines(logs);
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

    /** What was done to the ticks' processes so far. */
    Map<Misfortune, Long> injectedIntoTicks() {
        return tickChaos.injected();
    }

    FunctionLogs logs() {
        return logs;
    }

    int processes() {
        return functions.stream().mapToInt(ProcessFunctionInvoker::processes).sum()
                + ticks.stream().mapToInt(ProcessTickInvoker::processes).sum();
    }

    /** How many invocations each Java has begun, by its version. */
    Map<String, Long> invocationsByVersion() {
        Map<String, Long> byVersion = new TreeMap<>();
        for (JavaHome java : options.javas()) {
            long invocations = functions.stream()
                    .mapToLong(function -> function.invocationsByJava().getOrDefault(java.home(), 0L))
                    .sum();
            long ofTicks = ticks.stream()
                    .mapToLong(function -> function.invocationsByJava().getOrDefault(java.home(), 0L))
                    .sum();
            byVersion.merge(java.version(), invocations + ofTicks, Long::sum);
        }
        return byVersion;
    }

    /** Ends all processes. */
    @Override
    public void close() {
        functions.forEach(ProcessFunctionInvoker::close);
        ticks.forEach(ProcessTickInvoker::close);
    }
}
