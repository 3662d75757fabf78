package io.millrace.local.internal.s3;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The conditions that a request's headers set. */
final class Conditions {
    private static final String IF_MATCH = "If-Match";
    private static final String IF_NONE_MATCH = "If-None-Match";
    private static final String IF_MODIFIED_SINCE = "If-Modified-Since";
    private static final String IF_UNMODIFIED_SINCE = "If-Unmodified-Since";
    private static final String ANY = "*";

    private Conditions() {}

    /** Refuses a write whose condition does not hold for what is there. */
    static void checkWrite(S3Request request, @Nullable StoredObject existing) {
        String ifNoneMatch = request.header(IF_NONE_MATCH);
        if (ifNoneMatch != null) {
            if (!ifNoneMatch.strip().equals(ANY) || request.header(IF_MATCH) != null) {
                throw S3Errors.headerNotImplemented(IF_NONE_MATCH);
            }
            if (existing != null) {
                throw S3Errors.preconditionFailed(IF_NONE_MATCH);
            }
        }
        checkMatch(request.header(IF_MATCH), request.key(), existing);
    }

    /** Refuses a write or delete that expects another entity tag, or any, where there is no object. */
    static void checkMatch(@Nullable String ifMatch, String key, @Nullable StoredObject existing) {
        if (ifMatch == null) {
            return;
        }
        if (existing == null) {
            throw S3Errors.noSuchKey(key);
        }
        if (!matches(ifMatch, existing)) {
            throw S3Errors.preconditionFailed(IF_MATCH);
        }
    }

    /** Whether a read gets the object; false if the reader has it already, that is 304. Refuses with 412. */
    static boolean checkRead(S3Request request, StoredObject object) {
        String ifMatch = request.header(IF_MATCH);
        if (ifMatch != null && !matches(ifMatch, object)) {
            throw S3Errors.preconditionFailed(IF_MATCH);
        }
        Instant unmodifiedSince = time(request, IF_UNMODIFIED_SINCE);
        if (ifMatch == null && unmodifiedSince != null && object.lastModified().isAfter(unmodifiedSince)) {
            throw S3Errors.preconditionFailed(IF_UNMODIFIED_SINCE);
        }
        String ifNoneMatch = request.header(IF_NONE_MATCH);
        if (ifNoneMatch != null) {
            return !matches(ifNoneMatch, object);
        }
        Instant modifiedSince = time(request, IF_MODIFIED_SINCE);
        return modifiedSince == null || object.lastModified().isAfter(modifiedSince);
    }

    private static boolean matches(String condition, StoredObject object) {
        for (String etag : condition.split(",", -1)) {
            if (etag.strip().equals(ANY) || S3Values.unquoted(etag).equals(object.etag())) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable Instant time(S3Request request, String header) {
        String value = request.header(header);
        return value == null ? null : S3Values.parseHeaderTime(value);
    }
}
