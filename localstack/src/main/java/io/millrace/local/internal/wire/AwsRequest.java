package io.millrace.local.internal.wire;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One HTTP request to the embedded AWS, whichever transport brought it. The body is not copied: do not change it. */
public final class AwsRequest {
    private final String method;
    private final String path;
    private final String query;
    private final Map<String, String> headers;
    private final byte[] body;

    /**
     * @param path the raw path, such as {@code /}
     * @param query the raw query string without its question mark, or an empty string
     * @param headers by name in any case; several values of one header are joined by a comma
     */
    public AwsRequest(String method, String path, String query, Map<String, List<String>> headers, byte[] body) {
        this.method = method;
        this.path = path;
        this.query = query;
        this.headers = new TreeMap<>();
        headers.forEach((name, values) -> this.headers.put(name.toLowerCase(Locale.ROOT), String.join(",", values)));
        this.body = body;
    }

    public String method() {
        return method;
    }

    public String path() {
        return path;
    }

    public String query() {
        return query;
    }

    /** The header of that name in any case, or null. */
    public @Nullable String header(String name) {
        return headers.get(name.toLowerCase(Locale.ROOT));
    }

    /** All headers, by name in lower case. */
    public Map<String, String> headers() {
        return Collections.unmodifiableMap(headers);
    }

    public byte[] body() {
        return body;
    }
}
