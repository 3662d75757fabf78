package io.millrace.local.internal.s3;

import java.time.Instant;
import java.util.Comparator;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A bucket: its objects and the uploads that go on in it. Not thread-safe: {@link Buckets} hands it out under its lock. */
final class Bucket {
    /** Where an upload stands in listings: by key, and under one key by id, which is by beginning. */
    record UploadPosition(String key, String uploadId) implements Comparable<UploadPosition> {
        private static final Comparator<UploadPosition> ORDER =
                Comparator.comparing(UploadPosition::key, S3Values.KEY_ORDER).thenComparing(UploadPosition::uploadId);

        @Override
        public int compareTo(UploadPosition other) {
            return ORDER.compare(this, other);
        }
    }

    private final String name;
    private final Instant created;
    private final NavigableMap<String, StoredObject> objects = new TreeMap<>(S3Values.KEY_ORDER);
    private final NavigableMap<UploadPosition, MultipartUpload> uploads = new TreeMap<>();

    Bucket(String name, Instant created) {
        this.name = name;
        this.created = created;
    }

    String name() {
        return name;
    }

    Instant created() {
        return created;
    }

    NavigableMap<String, StoredObject> objects() {
        return objects;
    }

    NavigableMap<UploadPosition, MultipartUpload> uploads() {
        return uploads;
    }

    @Nullable
    StoredObject object(String key) {
        return objects.get(key);
    }

    StoredObject requireObject(String key) {
        StoredObject object = objects.get(key);
        if (object == null) {
            throw S3Errors.noSuchKey(key);
        }
        return object;
    }

    void put(StoredObject object) {
        objects.put(object.key(), object);
    }

    MultipartUpload requireUpload(String key, String uploadId) {
        MultipartUpload upload = uploads.get(new UploadPosition(key, uploadId));
        if (upload == null) {
            throw S3Errors.noSuchUpload(uploadId);
        }
        return upload;
    }

    void begin(MultipartUpload upload) {
        uploads.put(new UploadPosition(upload.key(), upload.id()), upload);
    }

    void end(MultipartUpload upload) {
        uploads.remove(new UploadPosition(upload.key(), upload.id()));
    }
}
