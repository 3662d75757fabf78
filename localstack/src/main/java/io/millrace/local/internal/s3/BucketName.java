package io.millrace.local.internal.s3;

import java.util.List;
import java.util.regex.Pattern;

/** The rules for the name of a new bucket. */
final class BucketName {
    private static final Pattern FORM = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
    private static final Pattern IP_ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final List<String> RESERVED_PREFIXES = List.of("xn--", "sthree-", "amzn-s3-demo-");
    private static final List<String> RESERVED_SUFFIXES =
            List.of("-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3");

    private BucketName() {}

    /** Refuses a name that AWS does not take. */
    static void check(String name) {
        boolean valid = FORM.matcher(name).matches()
                && !name.contains("..")
                && !IP_ADDRESS.matcher(name).matches()
                && RESERVED_PREFIXES.stream().noneMatch(name::startsWith)
                && RESERVED_SUFFIXES.stream().noneMatch(name::endsWith);
        if (!valid) {
            throw S3Errors.invalidBucketName(name);
        }
    }
}
