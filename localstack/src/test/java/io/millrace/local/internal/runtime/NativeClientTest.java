package io.millrace.local.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The native part of AWS's runtime interface client. */
class NativeClientTest {
    private static final String CLASS_PATH = System.getProperty("java.class.path");

    /** The jar that a command runs from is on the functions' class path, and its input can be read from it meanwhile. */
    @Test
    void unpackingClosesNoJarThatOthersRead(@TempDir Path folder) throws Exception {
        String jar = Arrays.stream(CLASS_PATH.split(File.pathSeparator))
                .filter(entry -> entry.contains("aws-lambda-java-runtime-interface-client"))
                .findFirst()
                .orElseThrow();
        URI resource = URI.create(
                "jar:" + Path.of(jar).toUri() + "!/com/amazonaws/services/lambda/runtime/api/client/AWSLambda.class");
        try (InputStream reading = resource.toURL().openStream()) {
            assertThat(reading.read()).isEqualTo(0xCA);
            assertThat(NativeClient.unpack(CLASS_PATH, folder)).isNotEmptyFile();
            assertThat(reading.readAllBytes()).hasSizeGreaterThan(100);
        }
    }
}
