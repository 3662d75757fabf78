package io.millrace.cli;

import io.millrace.cli.Example.OutgoingRecord;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.kinesis.KinesisClient;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequest;
import software.amazon.awssdk.services.kinesis.model.PutRecordsRequestEntry;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResponse;
import software.amazon.awssdk.services.kinesis.model.PutRecordsResultEntry;

/**
 * Puts records into a stream, in batches. Entries that Kinesis refuses are put again before anything behind the batch,
 * so a key's records can change places within a batch, but not beyond. As with any producer, a request that is repeated
 * because its answer was lost can put its records twice. Not thread-safe.
 */
final class StreamPublisher {
    /** Kinesis's limits on a PutRecords request. */
    static final int BATCH_RECORDS_MAX = 500;

    static final int BATCH_BYTES_MAX = 5 << 20;

    private static final int ATTEMPTS_MAX = 20;
    private static final long PAUSE_MILLIS_INITIAL = 10;
    private static final long PAUSE_MILLIS_MAX = 1_000;

    private final KinesisClient kinesis;
    private final String stream;
    private final List<PutRecordsRequestEntry> batch = new ArrayList<>(BATCH_RECORDS_MAX);
    private int batchBytes;
    private long published;

    StreamPublisher(KinesisClient kinesis, String stream) {
        this.kinesis = kinesis;
        this.stream = stream;
    }

    /** Puts a record with the batch that it fills, or later. */
    void put(OutgoingRecord record) throws InterruptedException {
        PutRecordsRequestEntry entry = PutRecordsRequestEntry.builder()
                .partitionKey(record.partitionKey())
                .data(SdkBytes.fromByteArrayUnsafe(record.data()))
                .build();
        // A character of a key takes up to three bytes (a pair of them four).
        int bytes = record.data().length + 3 * record.partitionKey().length();
        if (!batch.isEmpty() && batchBytes + bytes > BATCH_BYTES_MAX) {
            flush();
        }
        batch.add(entry);
        batchBytes += bytes;
        if (batch.size() == BATCH_RECORDS_MAX) {
            flush();
        }
    }

    /** Puts what waits. */
    void flush() throws InterruptedException {
        List<PutRecordsRequestEntry> open = List.copyOf(batch);
        batch.clear();
        batchBytes = 0;
        String refusal = "";
        long pauseMillis = PAUSE_MILLIS_INITIAL;
        for (int attempt = 1; !open.isEmpty() && attempt <= ATTEMPTS_MAX; attempt++) {
            if (attempt > 1) {
                Thread.sleep(pauseMillis);
                pauseMillis = Math.min(2 * pauseMillis, PAUSE_MILLIS_MAX);
            }
            PutRecordsResponse response = kinesis.putRecords(
                    PutRecordsRequest.builder().streamName(stream).records(open).build());
            List<PutRecordsRequestEntry> refused = new ArrayList<>();
            for (int i = 0; i < open.size(); i++) {
                PutRecordsResultEntry result = response.records().get(i);
                if (result.errorCode() != null) {
                    refused.add(open.get(i));
                    refusal = result.errorCode() + ": " + result.errorMessage();
                }
            }
            published += open.size() - refused.size();
            open = refused;
        }
        if (!open.isEmpty()) {
            throw CommandFailure.failed(
                    open.size() + " records could not be put into the stream '" + stream + "' in " + ATTEMPTS_MAX
                            + " attempts; the last refusal is " + refusal,
                    null);
        }
    }

    /** How many records the stream has accepted. */
    long published() {
        return published;
    }
}
