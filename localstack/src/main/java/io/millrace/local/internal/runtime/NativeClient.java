package io.millrace.local.internal.runtime;

import io.millrace.MillraceException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.URLConnection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The native part of AWS's runtime interface client. The client itself unpacks it to one fixed place whenever a process
 * starts, which is safe on Lambda, where each has a file system of its own; here a process could load a file that
 * another one is just replacing. So it is unpacked once, and the processes are told where.
 */
final class NativeClient {
    /** The client's own setting: where the library is. */
    static final String PATH_PROPERTY = "com.amazonaws.services.lambda.runtime.api.client.runtimeapi.NativeClient.JNI";

    private static final String ARTIFACT = "com.amazonaws:aws-lambda-java-runtime-interface-client";

    private NativeClient() {}

    /**
     * Unpacks this machine's library from a class path into a folder.
     *
     * @throws MillraceException if the class path does not hold it, or there is none for this machine
     */
    static Path unpack(String classPath, Path folder) throws IOException {
        String name = libraryName();
        try (URLClassLoader jars = new URLClassLoader(urls(classPath), null)) {
            URL found = jars.findResource("jni/" + name);
            if (found == null) {
                throw new MillraceException("AWS's runtime interface client (jni/" + name
                        + " of it) is not on the class path of the functions. Add the dependency " + ARTIFACT + ".");
            }
            Path file = folder.resolve(name);
            try (InputStream library = opened(found)) {
                Files.copy(library, file);
            }
            return file;
        }
    }

    /** Not out of the cache of open jars, in which others read too: closing the class loader would close them. */
    private static InputStream opened(URL resource) throws IOException {
        URLConnection connection = resource.openConnection();
        connection.setUseCaches(false);
        return connection.getInputStream();
    }

    private static URL[] urls(String classPath) throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String entry : classPath.split(java.io.File.pathSeparator, -1)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(URL[]::new);
    }

    private static String libraryName() {
        String system = System.getProperty("os.name", "");
        String machine = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        boolean arm = machine.equals("aarch64");
        if (!system.equals("Linux") || !(arm || machine.equals("amd64") || machine.equals("x86_64"))) {
            throw new MillraceException(
                    "AWS's runtime interface client exists for Linux on x86_64 and aarch64; this is " + system + " on "
                            + machine + ". Run it in a Linux container.");
        }
        boolean musl = Files.exists(Path.of("/lib/ld-musl-" + (arm ? "aarch64" : "x86_64") + ".so.1"));
        return "libaws-lambda-jni.linux" + (musl ? "_musl" : "") + (arm ? "-aarch_64" : "-x86_64") + ".so";
    }
}
