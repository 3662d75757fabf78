package io.millrace.local.internal.s3;

import java.util.LinkedHashMap;
import java.util.Map;

/** What an operation answers, before the headers that every answer has. Not thread-safe. */
final class S3Reply {
    private static final byte[] NOTHING = new byte[0];

    private final int status;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private final byte[] body;
    private long contentLength;

    private S3Reply(int status, byte[] body) {
        this.status = status;
        this.body = body;
        this.contentLength = body.length;
    }

    static S3Reply empty(int status) {
        return new S3Reply(status, NOTHING);
    }

    static S3Reply xml(int status, byte[] document) {
        return new S3Reply(status, document).header("Content-Type", "application/xml");
    }

    static S3Reply content(int status, byte[] content) {
        return new S3Reply(status, content);
    }

    S3Reply header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    S3Reply headers(Map<String, String> more) {
        headers.putAll(more);
        return this;
    }

    /** The length that the header states, where the body is left out. */
    S3Reply contentLength(long bytes) {
        contentLength = bytes;
        return this;
    }

    int status() {
        return status;
    }

    Map<String, String> headers() {
        return headers;
    }

    byte[] body() {
        return body;
    }

    long contentLength() {
        return contentLength;
    }
}
