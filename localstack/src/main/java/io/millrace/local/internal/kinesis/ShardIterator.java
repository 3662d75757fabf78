package io.millrace.local.internal.kinesis;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/**
 * A place in a shard from which to read, good for five minutes.
 *
 * @param streamCreatedSeconds tells the stream from a later one of its name
 * @param recordNumber the number of the first record to read; trimmed ones are passed over
 */
record ShardIterator(String stream, long streamCreatedSeconds, int shardIndex, long recordNumber, long issuedMillis) {
    static final long LIFETIME_MILLIS = 300_000;

    private static final DateTimeFormatter SHOWN_TIME = DateTimeFormatter.ofPattern(
                    "EEE MMM dd HH:mm:ss 'UTC' uuuu", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    static ShardIterator decode(String token) {
        ShardIterator iterator = Tokens.read(
                token,
                in -> new ShardIterator(in.readUTF(), in.readLong(), in.readInt(), in.readLong(), in.readLong()));
        if (iterator == null) {
            throw KinesisErrors.invalidArgument("Invalid ShardIterator.");
        }
        return iterator;
    }

    String encode() {
        return Tokens.write(out -> {
            out.writeUTF(stream);
            out.writeLong(streamCreatedSeconds);
            out.writeInt(shardIndex);
            out.writeLong(recordNumber);
            out.writeLong(issuedMillis);
        });
    }

    void requireAlive(long nowMillis) {
        if (nowMillis - issuedMillis > LIFETIME_MILLIS) {
            throw KinesisErrors.expiredIterator(
                    SHOWN_TIME.format(Instant.ofEpochMilli(issuedMillis)),
                    SHOWN_TIME.format(Instant.ofEpochMilli(nowMillis)),
                    LIFETIME_MILLIS);
        }
    }
}
