package io.millrace.local.internal.s3;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The bucket and the key that a request names, as they stand in its URL, still encoded. The bucket is the first part of
 * the host (virtual-hosted style: {@code b.s3.us-east-1.amazonaws.com}, {@code b.localhost}), or else the first part of
 * the path.
 *
 * @param bucket an empty string if there is none
 * @param key an empty string if there is none
 */
public record S3Address(String bucket, String key) {
    private static final Pattern BUCKET_OF_S3_HOST = Pattern.compile("(.+)\\.s3[.-].+");
    private static final Pattern BUCKET_OF_LOCAL_HOST = Pattern.compile("(.+?)(\\.s3)?\\.localhost(:\\d+)?");
    private static final String SERVICE = "s3";

    /**
     * Reads the address.
     *
     * @param host the Host header, with or without a port; null if unknown
     * @param path the raw path
     */
    public static S3Address of(@Nullable String host, String path) {
        String rest = path.startsWith("/") ? path.substring(1) : path;
        String virtual = virtualBucket(host == null ? "" : host.toLowerCase(Locale.ROOT));
        if (!virtual.isEmpty()) {
            return new S3Address(virtual, rest);
        }
        int slash = rest.indexOf('/');
        return slash < 0 ? new S3Address(rest, "") : new S3Address(rest.substring(0, slash), rest.substring(slash + 1));
    }

    /** Whether a request without {@code X-Amz-Target} can be one to S3: it names a bucket, or lists the buckets. */
    public boolean isOfS3(String method) {
        return !bucket.isEmpty() || method.equals("GET");
    }

    private static String virtualBucket(String host) {
        Matcher local = BUCKET_OF_LOCAL_HOST.matcher(host);
        if (local.matches()) {
            return local.group(1).equals(SERVICE) ? "" : local.group(1);
        }
        Matcher s3 = BUCKET_OF_S3_HOST.matcher(host);
        return s3.matches() ? s3.group(1) : "";
    }
}
