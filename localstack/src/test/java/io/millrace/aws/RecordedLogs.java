package io.millrace.aws;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.LoggingEventAware;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** The logs of these tests: nothing is written, and warnings are kept while a test asks for them. */
public final class RecordedLogs implements SLF4JServiceProvider {
    private static final String API_VERSION = "2.0.99";

    private static volatile @Nullable List<LoggingEvent> recording;

    private final IMarkerFactory markers = new BasicMarkerFactory();
    private final MDCAdapter mdc = new NOPMDCAdapter();

    /** Runs something and returns the warnings that it logged. */
    public static List<LoggingEvent> warningsOf(Runnable body) {
        List<LoggingEvent> recorded = new CopyOnWriteArrayList<>();
        recording = recorded;
        try {
            body.run();
        } finally {
            recording = null;
        }
        return recorded;
    }

    /** A warning's message and pairs of names and values, as text. */
    public static String describe(LoggingEvent event) {
        return event.getMessage() + " " + event.getKeyValuePairs();
    }

    @Override
    public void initialize() {}

    @Override
    public ILoggerFactory getLoggerFactory() {
        return RecordedLogger::new;
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

    private static final class RecordedLogger extends LegacyAbstractLogger implements LoggingEventAware {
        private static final long serialVersionUID = 1L;

        RecordedLogger(String name) {
            this.name = name;
        }

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public boolean isInfoEnabled() {
            return false;
        }

        @Override
        public boolean isWarnEnabled() {
            return recording != null;
        }

        @Override
        public boolean isErrorEnabled() {
            return false;
        }

        @Override
        public void log(LoggingEvent event) {
            List<LoggingEvent> list = recording;
            if (list != null && event.getLevel() == Level.WARN) {
                list.add(event);
            }
        }

        @Override
        protected @Nullable String getFullyQualifiedCallerName() {
            return null;
        }

        /** Millrace logs by events only. */
        @Override
        protected void handleNormalizedLoggingCall(
                Level level,
                @Nullable Marker marker,
                @Nullable String pattern,
                Object @Nullable [] arguments,
                @Nullable Throwable thrown) {}
    }
}
