package io.millrace.local.internal.runtime;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * How the processes of a function are started.
 *
 * @param classPath absolute entries; AWS's runtime interface client must be among them
 * @param environment the function's own variables, beside those that Lambda sets
 * @param taskRoot the folder that the processes run in
 * @param nativeLibrary AWS's native client, unpacked
 */
public record ProcessSettings(
        String functionName,
        String functionArn,
        String handler,
        String classPath,
        List<String> jvmOptions,
        Map<String, String> environment,
        int memoryMegabytes,
        Path taskRoot,
        Path nativeLibrary) {
    public ProcessSettings {
        jvmOptions = List.copyOf(jvmOptions);
        environment = Map.copyOf(environment);
    }
}
