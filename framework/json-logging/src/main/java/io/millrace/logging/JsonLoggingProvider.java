package io.millrace.logging;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * SLF4J on standard error, one JSON document a line. What is logged: from the level that the system property
 * {@code millrace.log.level} or the environment variable {@code MILLRACE_LOG_LEVEL} names ({@code error}, {@code warn},
 * {@code info}, {@code debug}, {@code trace}); default {@code info}, and {@code warn} for what is not Millrace's.
 */
public final class JsonLoggingProvider implements SLF4JServiceProvider {
    private static final String API_VERSION = "2.0.99";

    private final Map<String, JsonLogger> loggers = new ConcurrentHashMap<>();
    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter mdc = new BasicMDCAdapter();

    @Override
    public void initialize() {}

    @Override
    public ILoggerFactory getLoggerFactory() {
        return name -> loggers.computeIfAbsent(name, absent -> new JsonLogger(absent, levelOf(absent)));
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
        return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
        return mdc;
    }

    @Override
    public String getRequestedApiVersion() {
        return API_VERSION;
    }

    private static Level levelOf(String logger) {
        Level level = configuredLevel();
        boolean ours = logger.startsWith("io.millrace");
        return ours || level != Level.INFO ? level : Level.WARN;
    }

    private static Level configuredLevel() {
        String environment = System.getenv().getOrDefault("MILLRACE_LOG_LEVEL", "info");
        String name = System.getProperty("millrace.log.level", environment);
        try {
            return Level.valueOf(name.trim().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            return Level.INFO;
        }
    }
}
