package io.millrace.aws.internal.checkpoint;

import io.millrace.MillraceException;
import io.millrace.aws.internal.RetryingRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * The objects of a pipeline's checkpoints in a bucket, under {@code PREFIX/PIPELINE/ID/NAME}. Thread-safe.
 */
public final class CheckpointFiles {
    /** How many keys one deletion takes; S3's limit. */
    private static final int DELETED_MAX = 1_000;

    /** The answers to a put whose condition fails: it does not hold, another put came first, or there is nothing any more. */
    private static final Set<Integer> CONDITION_FAILED = Set.of(412, 409, 404);

    private final S3Client s3;
    private final CheckpointPlace place;
    private final String pipeline;
    private final RetryingRequest request;

    public CheckpointFiles(S3Client s3, CheckpointPlace place, String pipeline, RetryingRequest request) {
        this.s3 = s3;
        this.place = place;
        this.pipeline = pipeline;
        this.request = request;
    }

    /** An object as it was read, whole. */
    record Content(byte[] bytes, String etag) {}

    private String folder() {
        return place.prefix() + pipeline + "/";
    }

    private String key(String id, String name) {
        return folder() + id + "/" + name;
    }

    /** Where an object is, for people. */
    String describe(String id, String name) {
        return "s3://" + place.bucket() + "/" + key(id, name);
    }

    void put(String id, String name, byte[] bytes) {
        put(id, name, bytes, put -> {});
    }

    /** Puts an object if there is none of this name; false if there is. */
    boolean putIfAbsent(String id, String name, byte[] bytes) {
        return put(id, name, bytes, put -> put.ifNoneMatch("*"));
    }

    /**
     * Puts an object if it still is as it was read.
     *
     * @param etagRead null if it was not there
     */
    boolean putIfSame(String id, String name, byte[] bytes, @Nullable String etagRead) {
        return etagRead == null ? putIfAbsent(id, name, bytes) : put(id, name, bytes, put -> put.ifMatch(etagRead));
    }

    /** A lost answer is followed by the same request, whose condition then fails: the object tells whether it is there. */
    private boolean put(String id, String name, byte[] bytes, Consumer<PutObjectRequest.Builder> condition) {
        PutObjectRequest.Builder put =
                PutObjectRequest.builder().bucket(place.bucket()).key(key(id, name));
        condition.accept(put);
        return request.of("Writing " + describe(id, name), () -> {
            try {
                s3.putObject(put.build(), RequestBody.fromBytes(bytes));
                return true;
            } catch (S3Exception e) {
                if (isConditional(put) && CONDITION_FAILED.contains(e.statusCode())) {
                    return get(id, name)
                            .map(there -> Arrays.equals(there.bytes(), bytes))
                            .orElse(false);
                }
                throw e;
            }
        });
    }

    private static boolean isConditional(PutObjectRequest.Builder put) {
        PutObjectRequest request = put.build();
        return request.ifMatch() != null || request.ifNoneMatch() != null;
    }

    /** Reads an object whole; empty if it is not there. */
    Optional<Content> get(String id, String name) {
        return request.of("Reading " + describe(id, name), () -> {
            try (ResponseInputStream<GetObjectResponse> in =
                    s3.getObject(get -> get.bucket(place.bucket()).key(key(id, name)))) {
                return Optional.of(new Content(in.readAllBytes(), in.response().eTag()));
            } catch (NoSuchKeyException e) {
                return Optional.empty();
            } catch (IOException e) {
                throw SdkClientException.create("the answer broke off", e);
            }
        });
    }

    /** The ids under which there is anything, in their order. */
    List<String> ids() {
        List<String> ids = new ArrayList<>();
        pages(folder(), "/", page -> {
            for (CommonPrefix found : page.commonPrefixes()) {
                String withSlash = found.prefix().substring(folder().length());
                ids.add(withSlash.substring(0, withSlash.length() - 1));
            }
        });
        return ids;
    }

    /** Deletes the objects of a checkpoint whose names are to go, and says how many they were. */
    int delete(String id, Predicate<String> isToGo) {
        List<String> keys = new ArrayList<>();
        String folder = key(id, "");
        pages(
                folder,
                null,
                page -> page.contents().stream()
                        .map(S3Object::key)
                        .filter(key -> isToGo.test(key.substring(folder.length())))
                        .forEach(keys::add));
        for (int from = 0; from < keys.size(); from += DELETED_MAX) {
            List<String> part = keys.subList(from, Math.min(keys.size(), from + DELETED_MAX));
            request.of("Deleting objects of checkpoint " + id, () -> deleteAll(part));
        }
        return keys.size();
    }

    private boolean deleteAll(List<String> keys) {
        var response = s3.deleteObjects(delete -> delete.bucket(place.bucket())
                .delete(objects -> objects.objects(keys.stream()
                        .map(key -> ObjectIdentifier.builder().key(key).build())
                        .toList())));
        if (response.hasErrors() && !response.errors().isEmpty()) {
            throw new MillraceException("S3 did not delete " + response.errors().size() + " of " + keys.size()
                    + " objects, " + response.errors().get(0).key() + " among them: "
                    + response.errors().get(0).message() + " May the role delete objects of the bucket "
                    + place.bucket() + "?");
        }
        return true;
    }

    private void pages(String prefix, @Nullable String delimiter, Consumer<ListObjectsV2Response> onPage) {
        String token = null;
        do {
            String from = token;
            ListObjectsV2Response page = request.of(
                    "Listing s3://" + place.bucket() + "/" + prefix,
                    () -> s3.listObjectsV2(list -> list.bucket(place.bucket())
                            .prefix(prefix)
                            .delimiter(delimiter)
                            .continuationToken(from)));
            onPage.accept(page);
            token = page.nextContinuationToken();
        } while (token != null);
    }
}
