package io.millrace.local.internal.s3;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * Where a listing goes on, as opaque text.
 *
 * @param after the last key or common prefix that was listed
 * @param isPrefix whether it is a common prefix
 */
record ContinuationToken(String after, boolean isPrefix) {
    private static final String KEY_MARK = "1k";
    private static final String PREFIX_MARK = "1p";

    static ContinuationToken parse(String token) {
        String text;
        try {
            text = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw incorrect(token);
        }
        if (!text.startsWith(KEY_MARK) && !text.startsWith(PREFIX_MARK)) {
            throw incorrect(token);
        }
        return new ContinuationToken(text.substring(KEY_MARK.length()), text.startsWith(PREFIX_MARK));
    }

    String text() {
        String marked = (isPrefix ? PREFIX_MARK : KEY_MARK) + after;
        return Base64.getUrlEncoder().withoutPadding().encodeToString(marked.getBytes(StandardCharsets.UTF_8));
    }

    private static RuntimeException incorrect(String token) {
        return S3Errors.invalidArgument("The continuation token provided is incorrect", "continuation-token", token);
    }
}
