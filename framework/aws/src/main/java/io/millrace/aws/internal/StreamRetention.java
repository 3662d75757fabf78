package io.millrace.aws.internal;

import io.millrace.MillraceException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.ResourceNotFoundException;

/** How long streams keep their records; asked once in {@link #FRESH}. Thread-safe. */
final class StreamRetention {
    private static final Duration FRESH = Duration.ofMinutes(10);

    private record Answer(Duration retention, Instant at) {}

    private final KinesisClient kinesis;
    private final Clock clock;
    private final Map<String, Answer> answers = new ConcurrentHashMap<>();

    StreamRetention(KinesisClient kinesis, Clock clock) {
        this.kinesis = kinesis;
        this.clock = clock;
    }

    Duration of(String stream) {
        Instant now = clock.instant();
        Answer known = answers.get(stream);
        if (known == null || known.at().plus(FRESH).isBefore(now)) {
            known = new Answer(ask(stream), now);
            answers.put(stream, known);
        }
        return known.retention();
    }

    /** The retention of a stream that may be gone: then nothing delivers its records any more. */
    Duration ofStreamOrNone(String stream) {
        try {
            return of(stream);
        } catch (MillraceException e) {
            if (e.getCause() instanceof ResourceNotFoundException) {
                return Duration.ZERO;
            }
            throw e;
        }
    }

    private Duration ask(String stream) {
        try {
            return Duration.ofHours(kinesis.describeStreamSummary(request -> request.streamName(stream))
                    .streamDescriptionSummary()
                    .retentionPeriodHours());
        } catch (RuntimeException e) {
            throw new MillraceException(
                    "The retention of stream " + stream + ", which the time to live of emptied or expiring state"
                            + " depends on, could not be read: " + e.getMessage(),
                    e);
        }
    }
}
