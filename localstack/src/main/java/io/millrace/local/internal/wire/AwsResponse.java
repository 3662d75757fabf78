package io.millrace.local.internal.wire;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** One HTTP response of the embedded AWS, for either transport. The body is not copied: do not change it. */
public final class AwsResponse {
    private final int status;
    private final Map<String, String> headers;
    private final byte[] body;

    public AwsResponse(int status, Map<String, String> headers, byte[] body) {
        this.status = status;
        // In their order: that of Map.copyOf differs between processes.
        this.headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
        this.body = body;
    }

    public int status() {
        return status;
    }

    public Map<String, String> headers() {
        return headers;
    }

    public byte[] body() {
        return body;
    }
}
