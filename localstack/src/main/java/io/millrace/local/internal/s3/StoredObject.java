package io.millrace.local.internal.s3;

import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** An object as it is stored. Immutable: its content is never changed. */
final class StoredObject {
    private final String key;
    private final byte[] content;
    private final String etag;
    private final Instant lastModified;
    private final Map<String, String> keptHeaders;
    private final StoredChecksum checksum;

    /** @param etag without quotation marks */
    StoredObject(
            String key,
            byte[] content,
            String etag,
            Instant lastModified,
            Map<String, String> keptHeaders,
            StoredChecksum checksum) {
        this.key = key;
        this.content = content;
        this.etag = etag;
        this.lastModified = lastModified;
        this.keptHeaders = Collections.unmodifiableMap(new LinkedHashMap<>(keptHeaders));
        this.checksum = checksum;
    }

    String key() {
        return key;
    }

    byte[] content() {
        return content;
    }

    int bytes() {
        return content.length;
    }

    /** The entity tag without quotation marks. */
    String etag() {
        return etag;
    }

    /** In whole seconds. */
    Instant lastModified() {
        return lastModified;
    }

    Map<String, String> keptHeaders() {
        return keptHeaders;
    }

    StoredChecksum checksum() {
        return checksum;
    }
}
