package io.millrace.local.internal.s3;

import io.millrace.local.internal.wire.AwsRequest;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A request to S3 with its address and parameters decoded. The body is as it came. */
final class S3Request {
    private final AwsRequest http;
    private final S3Operation operation;
    private final String bucket;
    private final String key;
    private final Map<String, String> parameters;

    private S3Request(
            AwsRequest http, S3Operation operation, String bucket, String key, Map<String, String> parameters) {
        this.http = http;
        this.operation = operation;
        this.bucket = bucket;
        this.key = key;
        this.parameters = parameters;
    }

    /** Reads a request; refuses an operation that the embedded AWS does not have, and a key that is too long. */
    static S3Request of(AwsRequest http) {
        S3Address address = S3Address.of(http.header("Host"), http.path());
        Map<String, String> parameters = UrlText.parameters(http.query());
        boolean copies = http.header("x-amz-copy-source") != null;
        S3Operation operation = S3Operation.of(http.method(), address, parameters.keySet(), copies)
                .orElseThrow(() -> S3Errors.notImplemented("the operation of S3 behind " + http.method()
                        + " with the parameters " + parameters.keySet() + (copies ? " and a source to copy" : "")));
        String key = UrlText.decode(address.key());
        int keyBytes = key.getBytes(StandardCharsets.UTF_8).length;
        if (keyBytes > S3Limits.KEY_BYTES_MAX) {
            throw S3Errors.keyTooLong(keyBytes);
        }
        return new S3Request(http, operation, UrlText.decode(address.bucket()), key, parameters);
    }

    S3Operation operation() {
        return operation;
    }

    String bucket() {
        return bucket;
    }

    String key() {
        return key;
    }

    /** All headers, by name in lower case. */
    Map<String, String> headers() {
        return http.headers();
    }

    @Nullable
    String header(String name) {
        return http.header(name);
    }

    @Nullable
    String parameter(String name) {
        return parameters.get(name);
    }

    /** The parameter, or an empty string if there is none. */
    String text(String name) {
        return parameters.getOrDefault(name, "");
    }

    /** A parameter that bounds a listing: as given, but no more than AWS lists at once. */
    int listedMax(String name, int most) {
        return Math.min(most, number(name, most));
    }

    /** A number that is not negative; {@code otherwise} if there is no such parameter. */
    int number(String name, int otherwise) {
        String given = text(name);
        if (given.isEmpty()) {
            return otherwise;
        }
        int number;
        try {
            number = Integer.parseInt(given);
        } catch (NumberFormatException e) {
            throw S3Errors.invalidArgument("Provided " + name + " not an integer or within integer range", name, given);
        }
        if (number < 0) {
            throw S3Errors.invalidArgument(
                    "Argument " + name + " must be an integer between 0 and " + Integer.MAX_VALUE, name, given);
        }
        return number;
    }

    byte[] rawBody() {
        return http.body();
    }
}
