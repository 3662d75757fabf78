package io.millrace.serde;

import io.millrace.Collector;
import java.util.Optional;

/**
 * A decoder of records compressed by gzip (RFC 1952), around the decoder of what is compressed. A record can consist of
 * several members one behind the other, whose contents are joined. Checked are the header, the length and the CRC of
 * each member; a record that is cut, that is broken, or that has something behind its last member cannot be decoded as a
 * whole. Immutable and thread-safe.
 */
public final class Gzip<T> implements RecordDecoder<T> {
    /** The most bytes that a record may have when it is uncompressed, unless another limit is given: 32 MiB. */
    public static final int BYTES_MAX_DEFAULT = 32 * 1024 * 1024;

    private final RecordDecoder<T> content;
    private final int bytesMax;
    private final boolean plainToo;

    private Gzip(RecordDecoder<T> content, int bytesMax, boolean plainToo) {
        this.content = content;
        this.bytesMax = bytesMax;
        this.plainToo = plainToo;
    }

    /** Records whose uncompressed bytes are one value each. */
    public static <T> Gzip<T> of(Serde<T> content) {
        return of(RecordDecoder.of(content));
    }

    /** Records whose uncompressed bytes another decoder decodes. */
    public static <T> Gzip<T> of(RecordDecoder<T> content) {
        return new Gzip<>(content, BYTES_MAX_DEFAULT, false);
    }

    /**
     * This decoder with another limit for the uncompressed bytes of a record, which keeps a small record from filling the
     * memory. Default: {@value #BYTES_MAX_DEFAULT}. A record above it cannot be decoded.
     *
     * @param newBytesMax 1 or more
     * @throws IllegalArgumentException below 1
     */
    public Gzip<T> withBytesMax(int newBytesMax) {
        if (newBytesMax < 1) {
            throw new IllegalArgumentException("bytesMax is " + newBytesMax + "; 1 or more are allowed");
        }
        return new Gzip<>(content, newBytesMax, plainToo);
    }

    /**
     * This decoder for streams that mix compressed and plain records: what does not begin with gzip's two bytes 1F 8B is
     * handed on as it is. By default such a record cannot be decoded. JSON and all other text never begin so.
     */
    public Gzip<T> orPlain() {
        return new Gzip<>(content, bytesMax, true);
    }

    @Override
    public void decode(StreamRecord record, Collector<T> out) throws Exception {
        byte[] payload = record.payload();
        if (GzipMembers.isGzip(payload)) {
            content.decode(record.withPayload(GzipMembers.inflate(payload, bytesMax)), out);
        } else if (plainToo) {
            content.decode(record, out);
        } else {
            throw DecodingException.notGzip(payload.length);
        }
    }

    @Override
    public Optional<Serde<T>> elementSerde() {
        return content.elementSerde();
    }

    @Override
    public String description() {
        return "gzip(" + content.description() + ")";
    }
}
