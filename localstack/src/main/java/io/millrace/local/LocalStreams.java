package io.millrace.local;

import io.millrace.MillraceException;
import java.time.Duration;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.ResourceInUseException;
import software.amazon.awssdk.services.kinesis.model.StreamStatus;

/** Makes streams as a deployment would. */
final class LocalStreams {
    private static final long POLL_MILLIS = 100;

    private LocalStreams() {}

    /** Creates a stream unless it exists, and waits until it can be used. */
    static void createIfMissing(KinesisClient kinesis, String stream, int shards, Duration timeout)
            throws InterruptedException {
        try {
            kinesis.createStream(request -> request.streamName(stream).shardCount(shards));
        } catch (ResourceInUseException exists) {
            // It is gone on with.
        }
        long endNanos = System.nanoTime() + timeout.toNanos();
        StreamStatus status = status(kinesis, stream);
        while (status != StreamStatus.ACTIVE && status != StreamStatus.UPDATING) {
            if (System.nanoTime() > endNanos) {
                throw new MillraceException("The stream '" + stream + "' is " + status + " still after "
                        + timeout.toSeconds() + " s; it must become ACTIVE.");
            }
            Thread.sleep(POLL_MILLIS);
            status = status(kinesis, stream);
        }
    }

    private static StreamStatus status(KinesisClient kinesis, String stream) {
        return kinesis.describeStreamSummary(request -> request.streamName(stream))
                .streamDescriptionSummary()
                .streamStatus();
    }
}
