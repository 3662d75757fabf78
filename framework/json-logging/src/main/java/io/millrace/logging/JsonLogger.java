package io.millrace.logging;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;

/** A logger of one name. Thread-safe: a line is written in one piece. */
final class JsonLogger extends LegacyAbstractLogger implements LoggingEventAware {
    private static final long serialVersionUID = 1L;

    private final transient Level threshold;

    JsonLogger(String name, Level threshold) {
        this.name = name;
        this.threshold = threshold;
    }

    @Override
    public boolean isTraceEnabled() {
        return isEnabled(Level.TRACE);
    }

    @Override
    public boolean isDebugEnabled() {
        return isEnabled(Level.DEBUG);
    }

    @Override
    public boolean isInfoEnabled() {
        return isEnabled(Level.INFO);
    }

    @Override
    public boolean isWarnEnabled() {
        return isEnabled(Level.WARN);
    }

    @Override
    public boolean isErrorEnabled() {
        return isEnabled(Level.ERROR);
    }

    private boolean isEnabled(Level level) {
        return level.toInt() >= threshold.toInt();
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            @Nullable String pattern,
            Object @Nullable [] arguments,
            @Nullable Throwable thrown) {
        write(level, MessageFormatter.basicArrayFormat(pattern, arguments), List.of(), thrown);
    }

    @Override
    public void log(LoggingEvent event) {
        List<KeyValuePair> pairs = event.getKeyValuePairs() == null ? List.of() : event.getKeyValuePairs();
        write(
                event.getLevel(),
                MessageFormatter.basicArrayFormat(event.getMessage(), event.getArgumentArray()),
                new ArrayList<>(pairs),
                event.getThrowable());
    }

    private void write(Level level, String message, List<KeyValuePair> pairs, @Nullable Throwable thrown) {
        System.err.println(JsonLine.of(Instant.now(), level, name, message, pairs, thrown));
    }
}
