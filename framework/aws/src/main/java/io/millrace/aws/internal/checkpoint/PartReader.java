package io.millrace.aws.internal.checkpoint;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.millrace.MillraceException;
import io.millrace.internal.engine.CellItems;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Reads the objects of a checkpoint, each of which is held in memory, and proven to be what was written, before any use. */
final class PartReader {
    /** How many items are given on at once. */
    static final int ITEMS_MAX = 200;

    private static final ObjectMapper LINES = new ObjectMapper();

    private final CheckpointFiles files;
    private final String id;

    PartReader(CheckpointFiles files, String id) {
        this.files = files;
        this.id = id;
    }

    /**
     * The object of a part.
     *
     * @throws MillraceException if it is missing, or is not what was written
     */
    byte[] read(Manifest.Part part) {
        byte[] bytes = files.get(id, part.name())
                .orElseThrow(() -> new MillraceException("The checkpoint " + id + " is not whole: its object "
                        + files.describe(id, part.name()) + " is missing. Restore from another checkpoint."))
                .bytes();
        String sha256 = CellItems.sha256(bytes);
        if (!sha256.equals(part.sha256())) {
            throw new MillraceException("The checkpoint " + id + " is damaged: the object "
                    + files.describe(id, part.name())
                    + " has " + bytes.length + " bytes and the SHA-256 " + sha256 + "; written were " + part.bytes()
                    + " bytes with " + part.sha256() + ". Restore from another checkpoint.");
        }
        return bytes;
    }

    /** Gives on the items of a part, some at a time. */
    void forEach(Manifest.Part part, Consumer<List<Map<String, AttributeValue>>> consumer) {
        Iterator<Map<String, AttributeValue>> items = items(part);
        List<Map<String, AttributeValue>> some = new ArrayList<>();
        while (items.hasNext()) {
            some.add(items.next());
            if (some.size() == ITEMS_MAX || !items.hasNext()) {
                consumer.accept(some);
                some = new ArrayList<>();
            }
        }
    }

    /** The items of a part, decoded as they are asked for. */
    Iterator<Map<String, AttributeValue>> items(Manifest.Part part) {
        String where = files.describe(id, part.name());
        try {
            InputStream plain = new GZIPInputStream(new ByteArrayInputStream(read(part)));
            return new Items(new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8)), where);
        } catch (IOException e) {
            throw unreadable(where, e);
        }
    }

    private static MillraceException unreadable(String where, IOException cause) {
        return new MillraceException(
                "The object " + where + " cannot be read, though its SHA-256 is right: " + cause.getMessage(), cause);
    }

    /** The items of lines; there is nothing to close but memory. Not thread-safe. */
    private static final class Items implements Iterator<Map<String, AttributeValue>> {
        private final BufferedReader lines;
        private final String where;
        private @Nullable String next;

        Items(BufferedReader lines, String where) {
            this.lines = lines;
            this.where = where;
            advance();
        }

        private void advance() {
            try {
                next = lines.readLine();
            } catch (IOException e) {
                throw unreadable(where, e);
            }
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public Map<String, AttributeValue> next() {
            String line = next;
            if (line == null) {
                throw new NoSuchElementException("there are no more items in " + where);
            }
            advance();
            try {
                return ItemJson.read(LINES.readTree(line).path("Item"));
            } catch (IOException e) {
                throw unreadable(where, e);
            }
        }
    }
}
