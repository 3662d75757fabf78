package io.millrace.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.cli.Example.OutgoingRecord;
import io.millrace.cli.PartitionKeys.BrokenLineException;
import io.millrace.serde.Json;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Records from a file with a JSON document a line, in UTF-8, gzipped or not. A line is published as it stands. Empty
 * lines are nothing; a broken one is told, counted and passed over. Not thread-safe.
 */
final class JsonLines implements Example.Input {
    /** The longest line: what Kinesis takes as a record unless a stream opts for more, with room for the key. */
    static final int LINE_BYTES_MAX = (1 << 20) - 4 * PartitionKeys.CHARACTERS_MAX;

    private static final int GZIP_MAGIC = 0x1f8b;
    private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

    private final InputStream bytes;
    private final Path file;
    private final PartitionKeys keys;
    private final Consumer<String> brokenLines;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private long lineBytes;
    private long lineNumber;
    private long broken;

    private JsonLines(InputStream bytes, Path file, PartitionKeys keys, Consumer<String> brokenLines) {
        this.bytes = bytes;
        this.file = file;
        this.keys = keys;
        this.brokenLines = brokenLines;
    }

    /** Opens a file. */
    static JsonLines open(Path file, PartitionKeys keys, Consumer<String> brokenLines) throws IOException {
        BufferedInputStream stored = new BufferedInputStream(Files.newInputStream(file));
        try {
            InputStream plain =
                    startsWithGzipMagic(stored) ? new BufferedInputStream(new GZIPInputStream(stored)) : stored;
            plain.mark(BYTE_ORDER_MARK.length);
            if (!Arrays.equals(plain.readNBytes(BYTE_ORDER_MARK.length), BYTE_ORDER_MARK)) {
                plain.reset();
            }
            return new JsonLines(plain, file, keys, brokenLines);
        } catch (IOException e) {
            stored.close();
            throw new IOException(file + " cannot be read as a file of lines, gzipped or not: " + e.getMessage(), e);
        }
    }

    private static boolean startsWithGzipMagic(BufferedInputStream stored) throws IOException {
        stored.mark(2);
        int magic = stored.read() << 8 | stored.read();
        stored.reset();
        return magic == GZIP_MAGIC;
    }

    @Override
    public @Nullable OutgoingRecord next() throws IOException {
        while (readLine()) {
            if (lineBytes == 0) {
                continue;
            }
            try {
                return record();
            } catch (BrokenLineException e) {
                broken++;
                brokenLines.accept("line " + lineNumber + ": " + e.getMessage());
            }
        }
        return null;
    }

    /** Reads a line without its end; false at the end of the file. Keeps as much of it as a record may have. */
    private boolean readLine() throws IOException {
        line.reset();
        lineBytes = 0;
        int last = -1;
        int next;
        try {
            next = bytes.read();
            while (next >= 0 && next != '\n') {
                lineBytes++;
                if (lineBytes <= LINE_BYTES_MAX) {
                    line.write(next);
                }
                last = next;
                next = bytes.read();
            }
        } catch (IOException e) {
            throw new IOException(file + " cannot be read behind line " + lineNumber + ": " + e.getMessage(), e);
        }
        lineNumber++;
        if (last == '\r') {
            lineBytes--;
        }
        return next >= 0 || last >= 0;
    }

    private OutgoingRecord record() throws BrokenLineException {
        if (lineBytes > LINE_BYTES_MAX) {
            throw new BrokenLineException(lineBytes + " bytes, Kinesis takes at most 1 MB a record and its key, so "
                    + LINE_BYTES_MAX + " here");
        }
        byte[] data = Arrays.copyOf(line.toByteArray(), (int) lineBytes);
        return new OutgoingRecord(keys.keyOf(data, document(data)), data);
    }

    private static JsonNode document(byte[] data) throws BrokenLineException {
        try {
            JsonNode document = Json.mapper().readTree(data);
            if (document.isMissingNode()) {
                throw new BrokenLineException("no JSON document: it is blank");
            }
            return document;
        } catch (JsonProcessingException e) {
            throw new BrokenLineException(
                    "no JSON document: " + e.getOriginalMessage().replaceAll("\\p{Cntrl}", " "), e);
        } catch (IOException e) {
            throw new BrokenLineException("no JSON document: " + e.getMessage(), e);
        }
    }

    @Override
    public long brokenLines() {
        return broken;
    }

    @Override
    public OptionalLong size() {
        return OptionalLong.empty();
    }

    @Override
    public void close() throws IOException {
        bytes.close();
    }
}
