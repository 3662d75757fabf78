package io.millrace.local.internal.s3;

import java.time.Instant;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;

/** All buckets of the account. Thread-safe: what happens in them happens under one lock, so every read sees every write. */
final class Buckets {
    private final NavigableMap<String, Bucket> buckets = new TreeMap<>();

    /** Runs a step in a bucket, alone; it must be short. */
    synchronized <T> T in(String name, Function<Bucket, T> step) {
        return step.apply(require(name));
    }

    /** Refuses the request if there is no such bucket. */
    synchronized void check(String name) {
        require(name);
    }

    /** Creates a bucket; tells whether there was none of that name. */
    synchronized boolean create(String name, Instant now) {
        if (buckets.containsKey(name)) {
            return false;
        }
        if (buckets.size() >= S3Limits.BUCKETS_MAX) {
            throw S3Errors.tooManyBuckets();
        }
        buckets.put(name, new Bucket(name, now));
        return true;
    }

    /** Deletes a bucket without objects, with the uploads that go on in it. */
    synchronized void delete(String name) {
        if (!require(name).objects().isEmpty()) {
            throw S3Errors.bucketNotEmpty(name);
        }
        buckets.remove(name);
    }

    /** The buckets by name, those after the given one. */
    synchronized List<Bucket> after(String name) {
        return List.copyOf(buckets.tailMap(name, false).values());
    }

    private Bucket require(String name) {
        Bucket bucket = buckets.get(name);
        if (bucket == null) {
            throw S3Errors.noSuchBucket(name);
        }
        return bucket;
    }
}
