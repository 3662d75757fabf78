package io.millrace.local;

import static io.millrace.local.ContractEndpoint.MOTO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.Bucket;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.ChecksumType;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.DeletedObject;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ListPartsResponse;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.NoSuchBucketException;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.Part;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** What Millrace needs of S3, checked against every endpoint at hand. */
@ParameterizedClass(name = "{0}")
@EnumSource(ContractEndpoint.class)
class S3ContractTest {
    private static final String NO_SUCH_UPLOAD_DIFFERENCE = "does not say NoSuchUpload of a part or a listing of parts";
    private static final int PART_BYTES_MIN = 5 * 1_024 * 1_024;
    private static final int PAGES_MAX = 100;
    private static final AtomicInteger BUCKET_NUMBER = new AtomicInteger();

    // Set before every invocation of the class.
    @SuppressWarnings("NullAway.Init")
    private static ContractEndpoint.Running running;

    @SuppressWarnings("NullAway.Init")
    private static S3Client s3;

    private final String bucket = "contract-" + BUCKET_NUMBER.incrementAndGet();

    S3ContractTest(ContractEndpoint endpoint) {
        assertThat(endpoint).isNotNull();
    }

    @BeforeParameterizedClassInvocation
    static void start(ContractEndpoint endpoint) {
        running = endpoint.start();
        s3 = running.client(S3Client.builder().forcePathStyle(true));
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        if (running != null) {
            s3.close();
            running.close();
        }
    }

    @BeforeEach
    void create() {
        s3.createBucket(request -> request.bucket(bucket));
    }

    @AfterEach
    void delete() {
        for (MultipartUpload upload :
                s3.listMultipartUploads(request -> request.bucket(bucket)).uploads()) {
            s3.abortMultipartUpload(
                    request -> request.bucket(bucket).key(upload.key()).uploadId(upload.uploadId()));
        }
        keys("").forEach(
                        key -> s3.deleteObject(request -> request.bucket(bucket).key(key)));
        s3.deleteBucket(request -> request.bucket(bucket));
    }

    @Test
    void bucketIsFoundAndListed() {
        assertThat(s3.headBucket(request -> request.bucket(bucket)).bucketRegion())
                .isEqualTo("us-east-1");
        assertThat(s3.listBuckets().buckets()).extracting(Bucket::name).contains(bucket);
        assertThat(s3.listBuckets().buckets()).extracting(Bucket::creationDate).allSatisfy(S3ContractTest::isPlausible);
    }

    /** The oldest region only; in the others it is an error. */
    @Test
    void bucketOfOnesOwnIsCreatedAgain() {
        put("kept", "content");
        s3.createBucket(request -> request.bucket(bucket));
        assertThat(get("kept")).isEqualTo("content");
    }

    @Test
    void bucketWithObjectsIsNotDeleted() {
        put("a", "x");
        assertRefused(() -> s3.deleteBucket(request -> request.bucket(bucket)), 409, "BucketNotEmpty");
        s3.headBucket(request -> request.bucket(bucket));
    }

    @Test
    void missingBucketIsNotFound() {
        assertThatThrownBy(() -> s3.headBucket(request -> request.bucket("no-such-bucket")))
                .isInstanceOf(NoSuchBucketException.class);
        assertThatThrownBy(() -> s3.deleteBucket(request -> request.bucket("no-such-bucket")))
                .isInstanceOf(NoSuchBucketException.class);
        assertThatThrownBy(() ->
                        s3.putObject(request -> request.bucket("no-such-bucket").key("k"), RequestBody.fromString("x")))
                .isInstanceOf(NoSuchBucketException.class)
                .hasMessageContaining("The specified bucket does not exist");
        assertThatThrownBy(() -> s3.getObjectAsBytes(
                        request -> request.bucket("no-such-bucket").key("k")))
                .isInstanceOf(NoSuchBucketException.class);
        assertThatThrownBy(() -> s3.listObjectsV2(request -> request.bucket("no-such-bucket")))
                .isInstanceOf(NoSuchBucketException.class);
    }

    @Test
    void objectComesBackAsItWasPut() {
        byte[] content = content(100_000, 1);
        PutObjectResponse put = s3.putObject(
                request -> request.bucket(bucket)
                        .key("a/b c+d/é\uD83D\uDE00~")
                        .contentType("application/x-cell")
                        .contentEncoding("zstd")
                        .cacheControl("no-store")
                        .metadata(Map.of("fence", "17", "Owner", "x")),
                RequestBody.fromBytes(content));
        ResponseBytes<GetObjectResponse> got =
                s3.getObjectAsBytes(request -> request.bucket(bucket).key("a/b c+d/é\uD83D\uDE00~"));
        assertThat(got.asByteArray()).isEqualTo(content);
        GetObjectResponse head = got.response();
        assertThat(head.eTag()).isEqualTo(put.eTag()).matches("\"[0-9a-f]{32}\"");
        assertThat(head.contentType()).isEqualTo("application/x-cell");
        assertThat(head.cacheControl()).isEqualTo("no-store");
        assertThat(head.contentLength()).isEqualTo(content.length);
        assertThat(head.metadata()).containsExactlyInAnyOrderEntriesOf(Map.of("fence", "17", "owner", "x"));
        assertThat(head.lastModified()).satisfies(S3ContractTest::isPlausible);
        assertThat(keys("")).containsExactly("a/b c+d/é\uD83D\uDE00~");
        assertThat(head.contentEncoding()).isEqualTo("zstd");
    }

    @Test
    void headTellsWhatGetWould() {
        put("a", "hello");
        HeadObjectResponse head =
                s3.headObject(request -> request.bucket(bucket).key("a"));
        assertThat(head.contentLength()).isEqualTo(5);
        assertThat(head.eTag()).isEqualTo("\"5d41402abc4b2a76b9719d911017c592\"");
        assertThat(head.contentType()).isNotEmpty();
        assertThat(head.lastModified()).satisfies(S3ContractTest::isPlausible);
    }

    @Test
    void emptyObjectIsOne() {
        put("empty", "");
        assertThat(get("empty")).isEmpty();
        assertThat(s3.headObject(request -> request.bucket(bucket).key("empty")).contentLength())
                .isZero();
        assertThat(s3.headObject(request -> request.bucket(bucket).key("empty")).eTag())
                .isEqualTo("\"d41d8cd98f00b204e9800998ecf8427e\"");
    }

    @Test
    void laterPutReplacesTheObject() {
        put("a", "first");
        put("a", "second");
        assertThat(get("a")).isEqualTo("second");
        assertThat(keys("")).containsExactly("a");
    }

    @Test
    void missingObjectIsNotFound() {
        assertThatThrownBy(() -> get("missing"))
                .isInstanceOf(NoSuchKeyException.class)
                .hasMessageContaining("The specified key does not exist.");
        assertRefusedWithoutBody(
                () -> s3.headObject(request -> request.bucket(bucket).key("missing")), 404);
    }

    @Test
    void keysAreBounded() {
        String longest = "k".repeat(1_022) + "é";
        put(longest, "x");
        assertThat(get(longest)).isEqualTo("x");
        running.difference(MOTO, "takes longer keys");
        assertRefused(() -> put(longest + "k", "x"), 400, "KeyTooLongError");
    }

    @Test
    void userMetadataIsBounded() {
        Consumer<PutObjectRequest.Builder> full =
                request -> request.bucket(bucket).key("a").metadata(Map.of("m", "v".repeat(2_047)));
        s3.putObject(full, RequestBody.fromString("x"));
        running.difference(MOTO, "takes more metadata");
        assertRefused(
                () -> s3.putObject(
                        full.andThen(request -> request.metadata(Map.of("m", "v".repeat(2_048)))),
                        RequestBody.fromString("x")),
                400,
                "MetadataTooLarge");
    }

    @Test
    void deletionIsTheSameTwice() {
        put("a", "x");
        s3.deleteObject(request -> request.bucket(bucket).key("a"));
        assertThatThrownBy(() -> get("a")).isInstanceOf(NoSuchKeyException.class);
        s3.deleteObject(request -> request.bucket(bucket).key("a"));
    }

    @Test
    void deletionCanDependOnTheObject() {
        String etag = put("a", "x").eTag();
        assertRefused(
                () -> s3.deleteObject(request -> request.bucket(bucket).key("a").ifMatch("\"other\"")),
                412,
                "PreconditionFailed");
        s3.deleteObject(request -> request.bucket(bucket).key("a").ifMatch(etag));
        assertRefused(
                () -> s3.deleteObject(request -> request.bucket(bucket).key("a").ifMatch("*")), 404, "NoSuchKey");
    }

    @Test
    void severalObjectsAreDeletedAtOnce() {
        put("a", "x");
        put("b <&>", "x");
        put("c", "x");
        List<DeletedObject> deleted = s3.deleteObjects(request ->
                        request.bucket(bucket).delete(delete -> delete.objects(id("a"), id("b <&>"), id("never"))))
                .deleted();
        assertThat(keys("")).containsExactly("c");
        assertThat(deleted)
                .extracting(DeletedObject::key)
                .contains("a", "never")
                .hasSize(3);
        running.difference(MOTO, "names what it deleted though asked not to");
        assertThat(s3.deleteObjects(request -> request.bucket(bucket)
                                .delete(delete -> delete.objects(id("c")).quiet(true)))
                        .deleted())
                .isEmpty();
        assertThat(keys("")).isEmpty();
    }

    @Test
    void deletionsAtOnceAreBounded() {
        List<ObjectIdentifier> thousand =
                IntStream.range(0, 1_000).mapToObj(i -> id("k" + i)).toList();
        assertThat(s3.deleteObjects(request -> request.bucket(bucket).delete(delete -> delete.objects(thousand)))
                        .deleted())
                .hasSize(1_000);
        running.difference(MOTO, "deletes more than 1,000 keys at once");
        List<ObjectIdentifier> more = new ArrayList<>(thousand);
        more.add(id("k1000"));
        assertRefused(
                () -> s3.deleteObjects(request -> request.bucket(bucket).delete(delete -> delete.objects(more))),
                400,
                "MalformedXML");
    }

    @Test
    void deletionsAtOnceCanDependOnTheObjects() {
        running.difference(MOTO, "deletes several objects whatever the condition is");
        put("a", "x");
        String etag = put("b", "y").eTag();
        var response = s3.deleteObjects(request -> request.bucket(bucket)
                .delete(delete -> delete.objects(
                        ObjectIdentifier.builder().key("a").eTag("\"other\"").build(),
                        ObjectIdentifier.builder().key("b").eTag(etag).build())));
        assertThat(response.deleted()).extracting(DeletedObject::key).containsExactly("b");
        assertThat(response.errors()).singleElement().satisfies(error -> {
            assertThat(error.key()).isEqualTo("a");
            assertThat(error.code()).isEqualTo("PreconditionFailed");
        });
        assertThat(keys("")).containsExactly("a");
    }

    @Test
    void putCanDemandThatThereIsNone() {
        s3.putObject(request -> request.bucket(bucket).key("a").ifNoneMatch("*"), RequestBody.fromString("first"));
        assertRefused(
                () -> s3.putObject(
                        request -> request.bucket(bucket).key("a").ifNoneMatch("*"), RequestBody.fromString("second")),
                412,
                "PreconditionFailed");
        assertThat(get("a")).isEqualTo("first");
        s3.deleteObject(request -> request.bucket(bucket).key("a"));
        s3.putObject(request -> request.bucket(bucket).key("a").ifNoneMatch("*"), RequestBody.fromString("third"));
        assertThat(get("a")).isEqualTo("third");
    }

    @Test
    void putCanDemandTheObjectThatWasRead() {
        String first = put("a", "first").eTag();
        s3.putObject(request -> request.bucket(bucket).key("a").ifMatch(first), RequestBody.fromString("second"));
        assertRefused(
                () -> s3.putObject(
                        request -> request.bucket(bucket).key("a").ifMatch(first), RequestBody.fromString("third")),
                412,
                "PreconditionFailed");
        assertRefused(
                () -> s3.putObject(
                        request -> request.bucket(bucket).key("b").ifMatch(first), RequestBody.fromString("x")),
                404,
                "NoSuchKey");
        assertThat(get("a")).isEqualTo("second");
        running.difference(MOTO, "takes entity tags that a new object must not have");
        assertRefused(
                () -> s3.putObject(
                        request -> request.bucket(bucket).key("b").ifNoneMatch(first), RequestBody.fromString("x")),
                501,
                "NotImplemented");
        assertThat(keys("")).containsExactly("a");
    }

    /** The rule that a checkpoint's owner is decided by. */
    @Test
    void oneOfManyConditionalPutsSucceeds() throws Exception {
        ExecutorService writers = Executors.newFixedThreadPool(8);
        try {
            List<CompletableFuture<Boolean>> outcomes = IntStream.range(0, 8)
                    .mapToObj(writer -> CompletableFuture.supplyAsync(() -> putIfNone("lock", "w" + writer), writers))
                    .toList();
            List<Integer> winners = new ArrayList<>();
            for (int writer = 0; writer < outcomes.size(); writer++) {
                if (outcomes.get(writer).get()) {
                    winners.add(writer);
                }
            }
            running.difference(MOTO, "checks a condition and writes without a lock");
            assertThat(winners).hasSize(1);
            assertThat(get("lock")).isEqualTo("w" + winners.get(0));
        } finally {
            writers.shutdownNow();
        }
    }

    @Test
    void readCanDependOnTheObject() {
        String etag = put("a", "hello").eTag();
        assertThat(get(request -> request.ifMatch(etag))).isEqualTo("hello");
        assertThat(get(request -> request.ifNoneMatch("\"other\""))).isEqualTo("hello");
        assertRefusedWithoutBody(() -> get(request -> request.ifNoneMatch(etag)), 304);
        assertRefused(() -> get(request -> request.ifMatch("\"other\"")), 412, "PreconditionFailed");
        Instant modified =
                s3.headObject(request -> request.bucket(bucket).key("a")).lastModified();
        assertRefusedWithoutBody(() -> get(request -> request.ifModifiedSince(modified)), 304);
        assertThat(get(request -> request.ifModifiedSince(modified.minusSeconds(1))))
                .isEqualTo("hello");
        assertThat(get(request -> request.ifUnmodifiedSince(modified))).isEqualTo("hello");
        assertRefused(
                () -> get(request -> request.ifUnmodifiedSince(modified.minusSeconds(1))), 412, "PreconditionFailed");
        running.difference(MOTO, "lets times count beside entity tags");
        assertThat(get(request -> request.ifMatch(etag).ifUnmodifiedSince(modified.minusSeconds(1))))
                .isEqualTo("hello");
        assertThat(get(request -> request.ifNoneMatch("\"other\"").ifModifiedSince(modified)))
                .isEqualTo("hello");
    }

    @Test
    void partOfAnObjectIsRead() {
        put("a", "0123456789");
        ResponseBytes<GetObjectResponse> middle =
                s3.getObjectAsBytes(request -> request.bucket(bucket).key("a").range("bytes=2-4"));
        assertThat(middle.asUtf8String()).isEqualTo("234");
        assertThat(middle.response().contentRange()).isEqualTo("bytes 2-4/10");
        assertThat(middle.response().contentLength()).isEqualTo(3);
        assertThat(middle.response().sdkHttpResponse().statusCode()).isEqualTo(206);
        assertThat(get(request -> request.range("bytes=7-"))).isEqualTo("789");
        assertThat(get(request -> request.range("bytes=-3"))).isEqualTo("789");
        assertThat(get(request -> request.range("bytes=0-0"))).isEqualTo("0");
        assertThat(get(request -> request.range("bytes=8-99999999999"))).isEqualTo("89");
        assertThat(get(request -> request.range("bytes=-99"))).isEqualTo("0123456789");
        assertRefused(() -> get(request -> request.range("bytes=10-")), 416, "InvalidRange");
        assertRefused(() -> get(request -> request.range("bytes=10-20")), 416, "InvalidRange");
    }

    @Test
    void unreadableRangeIsTheWhole() {
        running.difference(MOTO, "takes ranges of any unit");
        put("a", "0123456789");
        for (String range : List.of("bytes=4-2", "bytes=0-1,3-4", "lines=1-2", "bytes=-", "bytes=x-2")) {
            assertThat(get(request -> request.range(range))).as(range).isEqualTo("0123456789");
        }
        assertRefused(() -> get(request -> request.range("bytes=-0")), 416, "InvalidRange");
        put("empty", "");
        assertRefused(
                () -> s3.getObjectAsBytes(
                        request -> request.bucket(bucket).key("empty").range("bytes=0-4")),
                416,
                "InvalidRange");
    }

    @Test
    void listingIsInTheOrderOfBytes() {
        List<String> ordered = List.of("A", "a", "a/", "a/b", "aa", "é", "\uFF21", "\uD83D\uDE00");
        for (int i = ordered.size() - 1; i >= 0; i--) {
            put(ordered.get(i), "x");
        }
        assertThat(keys("")).containsExactlyElementsOf(ordered);
        assertThat(keys("a/")).containsExactly("a/", "a/b");
        assertThat(keys("zz")).isEmpty();
    }

    @Test
    void listingTellsOfEachObject() {
        put("a", "hello");
        S3Object object =
                s3.listObjectsV2(request -> request.bucket(bucket)).contents().get(0);
        assertThat(object.size()).isEqualTo(5);
        assertThat(object.eTag()).isEqualTo("\"5d41402abc4b2a76b9719d911017c592\"");
        assertThat(object.storageClassAsString()).isEqualTo("STANDARD");
        assertThat(object.lastModified()).satisfies(S3ContractTest::isPlausible);
        assertThat(object.checksumAlgorithm()).containsExactly(ChecksumAlgorithm.CRC32);
    }

    @Test
    void listingComesInPages() {
        for (int i = 0; i < 5; i++) {
            put("k" + i, "x");
        }
        List<String> seen = new ArrayList<>();
        @Nullable String token = null;
        for (int page = 0; page < PAGES_MAX; page++) {
            String from = token;
            ListObjectsV2Response listed = s3.listObjectsV2(
                    request -> request.bucket(bucket).maxKeys(2).continuationToken(from));
            assertThat(listed.contents()).hasSizeLessThanOrEqualTo(2);
            assertThat(listed.keyCount()).isEqualTo(listed.contents().size());
            assertThat(listed.maxKeys()).isEqualTo(2);
            listed.contents().forEach(object -> seen.add(object.key()));
            assertThat(listed.isTruncated()).isEqualTo(listed.nextContinuationToken() != null);
            token = listed.nextContinuationToken();
            if (token == null) {
                break;
            }
            // What is put before the page's end is not seen any more, and what is deleted after it neither.
            s3.deleteObject(request -> request.bucket(bucket).key(seen.get(seen.size() - 1)));
        }
        assertThat(seen).containsExactly("k0", "k1", "k2", "k3", "k4");
    }

    @Test
    void exactPageIsNotTruncated() {
        put("a", "x");
        put("b", "x");
        ListObjectsV2Response exact =
                s3.listObjectsV2(request -> request.bucket(bucket).maxKeys(2));
        assertThat(exact.contents()).hasSize(2);
        assertThat(exact.isTruncated()).isFalse();
        ListObjectsV2Response none =
                s3.listObjectsV2(request -> request.bucket(bucket).maxKeys(0));
        assertThat(none.contents()).isEmpty();
        assertThat(none.isTruncated()).isFalse();
    }

    @Test
    void listingIsBounded() {
        running.difference(MOTO, "lists more than 1,000 keys at once");
        for (int i = 0; i < 1_001; i++) {
            put("k" + i, "");
        }
        ListObjectsV2Response most =
                s3.listObjectsV2(request -> request.bucket(bucket).maxKeys(5_000));
        assertThat(most.contents()).hasSize(1_000);
        assertThat(most.isTruncated()).isTrue();
        assertThat(keys("")).hasSize(1_001);
        assertThat(most.maxKeys()).isEqualTo(1_000);
    }

    @Test
    void listingStartsAfterAKey() {
        for (String key : List.of("a", "b", "c")) {
            put(key, "x");
        }
        assertThat(s3.listObjectsV2(request -> request.bucket(bucket).startAfter("a"))
                        .contents())
                .extracting(S3Object::key)
                .containsExactly("b", "c");
        assertThat(s3.listObjectsV2(request -> request.bucket(bucket).startAfter("aa"))
                        .contents())
                .extracting(S3Object::key)
                .containsExactly("b", "c");
    }

    @Test
    void listingGroupsByADelimiter() {
        for (String key : List.of("p/a/1", "p/a/2", "p/b", "p/c/1", "p/", "q")) {
            put(key, "x");
        }
        ListObjectsV2Response all =
                s3.listObjectsV2(request -> request.bucket(bucket).prefix("p/").delimiter("/"));
        assertThat(all.contents()).extracting(S3Object::key).containsExactly("p/", "p/b");
        assertThat(all.commonPrefixes()).extracting(CommonPrefix::prefix).containsExactly("p/a/", "p/c/");
        assertThat(all.keyCount()).isEqualTo(4);
        assertThat(all.delimiter()).isEqualTo("/");
        ListObjectsV2Response top =
                s3.listObjectsV2(request -> request.bucket(bucket).delimiter("/"));
        assertThat(top.commonPrefixes()).extracting(CommonPrefix::prefix).containsExactly("p/");
        assertThat(top.contents()).extracting(S3Object::key).containsExactly("q");
    }

    @Test
    void groupsAreListedOnceOverAllPages() {
        for (String key : List.of("a/1", "a/2", "a/3", "b", "c/1", "c/2", "d")) {
            put(key, "x");
        }
        List<String> seen = new ArrayList<>();
        @Nullable String token = null;
        for (int page = 0; page < PAGES_MAX; page++) {
            String from = token;
            ListObjectsV2Response listed = s3.listObjectsV2(
                    request -> request.bucket(bucket).delimiter("/").maxKeys(1).continuationToken(from));
            listed.commonPrefixes().forEach(common -> seen.add(common.prefix()));
            listed.contents().forEach(object -> seen.add(object.key()));
            token = listed.nextContinuationToken();
            if (token == null) {
                break;
            }
        }
        assertThat(seen).containsExactly("a/", "b", "c/", "d");
    }

    @Test
    void listingCanEncodeKeys() {
        put("a b/\u0001<&>é+", "x");
        assertThat(s3.listObjectsV2(request -> request.bucket(bucket).encodingType(EncodingType.URL))
                        .contents())
                .extracting(S3Object::key)
                .containsExactly("a b/\u0001<&>é+");
        // As text the key cannot stand in XML.
        s3.deleteObject(request -> request.bucket(bucket).key("a b/\u0001<&>é+"));
    }

    @Test
    void listingRefusesWhatItCannotRead() {
        running.difference(MOTO, "takes a negative number of keys");
        assertRefused(
                () -> s3.listObjectsV2(request -> request.bucket(bucket).continuationToken("nonsense")),
                400,
                "InvalidArgument");
        assertRefused(() -> s3.listObjectsV2(request -> request.bucket(bucket).maxKeys(-1)), 400, "InvalidArgument");
        assertRefused(
                () -> s3.listObjectsV2(request -> request.bucket(bucket).encodingType("base64")),
                400,
                "InvalidArgument");
    }

    @Test
    void checksumIsVerifiedAndKept() {
        Map<ChecksumAlgorithm, String> checksums = Map.of(
                ChecksumAlgorithm.CRC32, "y/Q5Jg==",
                ChecksumAlgorithm.CRC32_C, "4waSgw==",
                ChecksumAlgorithm.SHA1, "98O8HYCOBHMq32eZZczDTKeuNEE=",
                ChecksumAlgorithm.SHA256, sha256("123456789"));
        checksums.forEach((algorithm, value) -> {
            s3.putObject(
                    request -> request.bucket(bucket).key("a").checksumAlgorithm(algorithm),
                    RequestBody.fromString("123456789"));
            GetObjectResponse got = s3.getObjectAsBytes(
                            request -> request.bucket(bucket).key("a").checksumMode(ChecksumMode.ENABLED))
                    .response();
            assertThat(checksum(got, algorithm)).as(algorithm.toString()).isEqualTo(value);
            assertThat(s3.headObject(request -> request.bucket(bucket).key("a")).checksumCRC32())
                    .as("without being asked")
                    .isNull();
        });
    }

    @Test
    void wrongChecksumIsRefused() {
        running.difference(MOTO, "does not verify checksums");
        assertRefused(
                () -> s3.putObject(
                        request -> request.bucket(bucket).key("a").checksumCRC32("AAAAAA=="),
                        RequestBody.fromString("x")),
                400,
                "BadDigest");
        assertRefused(
                () -> s3.putObject(
                        request -> request.bucket(bucket).key("a").checksumSHA256(sha256("other")),
                        RequestBody.fromString("x")),
                400,
                "BadDigest");
        assertRefused(
                () -> s3.putObject(
                        request -> request.bucket(bucket).key("a").checksumCRC64NVME("AAAAAAAAAAA="),
                        RequestBody.fromString("x")),
                400,
                "BadDigest");
        assertRefused(
                () -> s3.putObject(
                        request -> request.bucket(bucket).key("a").checksumCRC32("AAAA"), RequestBody.fromString("x")),
                400,
                "InvalidRequest");
        assertThat(keys("")).isEmpty();
        s3.putObject(
                request -> request.bucket(bucket).key("a").checksumCRC64NVME("rosUhgp5mIg="),
                RequestBody.fromString("123456789"));
        assertThat(get("a")).isEqualTo("123456789");
    }

    @Test
    void wrongMd5IsRefused() {
        running.difference(MOTO, "does not verify the MD5 of the content");
        assertRefused(
                () -> s3.putObject(
                        request -> request.bucket(bucket).key("a").contentMD5("XUFAKrxLKna5cZ2REBfFkg=="),
                        RequestBody.fromString("other")),
                400,
                "BadDigest");
        assertRefused(
                () -> s3.putObject(
                        request -> request.bucket(bucket).key("a").contentMD5("nonsense"), RequestBody.fromString("x")),
                400,
                "InvalidDigest");
        assertThat(keys("")).isEmpty();
        s3.putObject(
                request -> request.bucket(bucket).key("a").contentMD5("XUFAKrxLKna5cZ2REBfFkg=="),
                RequestBody.fromString("hello"));
        assertThat(get("a")).isEqualTo("hello");
    }

    /** Older clients, and those that are told to, send no checksum, and the content as it is. */
    @Test
    void bodyWithoutChecksumIsTakenAsItIs() {
        try (S3Client plain = running.client(S3Client.builder()
                .forcePathStyle(true)
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .serviceConfiguration(settings -> settings.chunkedEncodingEnabled(false)))) {
            plain.putObject(request -> request.bucket(bucket).key("a"), RequestBody.fromString("hello"));
            assertThat(get("a")).isEqualTo("hello");
        }
    }

    @Test
    void objectComesInParts() {
        byte[] first = content(PART_BYTES_MIN, 1);
        byte[] second = content(1_000, 2);
        String upload =
                begin("big", request -> request.metadata(Map.of("m", "v")).contentType("text/cells"));
        List<CompletedPart> parts = List.of(part("big", upload, 1, first), part("big", upload, 7, second));
        assertThatThrownBy(() -> get("big")).isInstanceOf(NoSuchKeyException.class);
        var completed = s3.completeMultipartUpload(
                request -> request.bucket(bucket).key("big").uploadId(upload).multipartUpload(all -> all.parts(parts)));
        ResponseBytes<GetObjectResponse> got =
                s3.getObjectAsBytes(request -> request.bucket(bucket).key("big"));
        byte[] whole = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, whole, first.length, second.length);
        assertThat(Arrays.equals(got.asByteArray(), whole)).isTrue();
        assertThat(got.response().eTag()).isEqualTo(completed.eTag()).matches("\"[0-9a-f]{32}-2\"");
        assertThat(got.response().metadata()).containsExactly(Map.entry("m", "v"));
        assertThat(got.response().contentType()).isEqualTo("text/cells");
        assertThat(s3.listMultipartUploads(request -> request.bucket(bucket)).uploads())
                .isEmpty();
        running.difference(MOTO, NO_SUCH_UPLOAD_DIFFERENCE);
        assertRefused(
                () -> s3.uploadPart(
                        request -> request.bucket(bucket)
                                .key("big")
                                .uploadId(upload)
                                .partNumber(1),
                        RequestBody.fromBytes(second)),
                404,
                "NoSuchUpload");
    }

    /** The entity tag of parts is the MD5 of the MD5s of the parts, here of one of {@code hello}. */
    @Test
    void entityTagOfPartsIsOfTheirTags() {
        String upload = begin("a", request -> {});
        CompletedPart part = part("a", upload, 1, "hello".getBytes(StandardCharsets.UTF_8));
        assertThat(part.eTag()).isEqualTo("\"5d41402abc4b2a76b9719d911017c592\"");
        assertThat(complete("a", upload, part)).isEqualTo("\"62109206880d38a4010a98e11243924a-1\"");
    }

    @Test
    void partIsReplacedByALaterOneOfItsNumber() {
        String upload = begin("a", request -> {});
        CompletedPart replaced = part("a", upload, 1, bytes("first"));
        CompletedPart last = part("a", upload, 1, bytes("second"));
        assertRefused(() -> complete("a", upload, replaced), 400, "InvalidPart");
        complete("a", upload, last);
        assertThat(get("a")).isEqualTo("second");
    }

    @Test
    void partsHaveASizeAndAnOrder() {
        String upload = begin("a", request -> {});
        CompletedPart small = part("a", upload, 1, content(PART_BYTES_MIN - 1, 1));
        CompletedPart last = part("a", upload, 2, bytes("end"));
        assertRefused(() -> complete("a", upload, small, last), 400, "EntityTooSmall");
        running.difference(MOTO, "looks at the sizes of parts before their order");
        assertRefused(() -> complete("a", upload, last, small), 400, "InvalidPartOrder");
        assertRefused(() -> complete("a", upload, last, last), 400, "InvalidPartOrder");
        CompletedPart never = last.toBuilder().partNumber(3).build();
        assertRefused(() -> complete("a", upload, small, never), 400, "InvalidPart");
        complete("a", upload, last);
        assertThat(get("a")).isEqualTo("end");
    }

    @Test
    void uploadNeedsAPart() {
        String upload = begin("a", request -> {});
        assertRefused(() -> complete("a", upload), 400, "MalformedXML");
    }

    @Test
    void partNumbersAreBounded() {
        String upload = begin("a", request -> {});
        part("a", upload, 10_000, bytes("x"));
        assertRefused(() -> part("a", upload, 10_001, bytes("x")), 400, "InvalidArgument");
        running.difference(MOTO, "does not bound part numbers from below");
        assertRefused(() -> part("a", upload, 0, bytes("x")), 400, "InvalidArgument");
    }

    @Test
    void missingUploadIsNotFound() {
        running.difference(MOTO, NO_SUCH_UPLOAD_DIFFERENCE);
        CompletedPart part = CompletedPart.builder().partNumber(1).eTag("x").build();
        assertRefused(() -> part("a", "never", 1, bytes("x")), 404, "NoSuchUpload");
        assertRefused(() -> complete("a", "never", part), 404, "NoSuchUpload");
        assertRefused(() -> parts("a", "never", 0, 10), 404, "NoSuchUpload");
        assertRefused(
                () -> s3.abortMultipartUpload(
                        request -> request.bucket(bucket).key("a").uploadId("never")),
                404,
                "NoSuchUpload");
        String upload = begin("a", request -> {});
        assertRefused(() -> part("b", upload, 1, bytes("x")), 404, "NoSuchUpload");
    }

    @Test
    void abortedUploadLeavesNothing() {
        String upload = begin("a", request -> {});
        CompletedPart part = part("a", upload, 1, bytes("x"));
        s3.abortMultipartUpload(request -> request.bucket(bucket).key("a").uploadId(upload));
        running.difference(MOTO, NO_SUCH_UPLOAD_DIFFERENCE);
        assertRefused(() -> complete("a", upload, part), 404, "NoSuchUpload");
        assertThat(keys("")).isEmpty();
        assertThat(s3.listMultipartUploads(request -> request.bucket(bucket)).uploads())
                .isEmpty();
    }

    @Test
    void completionCanDemandThatThereIsNone() {
        String upload = begin("a", request -> {});
        CompletedPart part = part("a", upload, 1, bytes("in parts"));
        put("a", "whole");
        assertRefused(
                () -> s3.completeMultipartUpload(request -> request.bucket(bucket)
                        .key("a")
                        .uploadId(upload)
                        .ifNoneMatch("*")
                        .multipartUpload(all -> all.parts(part))),
                412,
                "PreconditionFailed");
        assertThat(get("a")).isEqualTo("whole");
        s3.deleteObject(request -> request.bucket(bucket).key("a"));
        s3.completeMultipartUpload(request -> request.bucket(bucket)
                .key("a")
                .uploadId(upload)
                .ifNoneMatch("*")
                .multipartUpload(all -> all.parts(part)));
        assertThat(get("a")).isEqualTo("in parts");
    }

    @Test
    void partsAreListedInPages() {
        String upload = begin("a", request -> {});
        for (int number : new int[] {3, 1, 2}) {
            part("a", upload, number, bytes("part" + number));
        }
        ListPartsResponse first = parts("a", upload, 0, 2);
        assertThat(first.parts()).extracting(Part::partNumber).containsExactly(1, 2);
        assertThat(first.isTruncated()).isTrue();
        assertThat(first.nextPartNumberMarker()).isEqualTo(2);
        assertThat(first.parts().get(0).size()).isEqualTo(5);
        ListPartsResponse second = parts("a", upload, 2, 2);
        assertThat(second.parts()).extracting(Part::partNumber).containsExactly(3);
        assertThat(second.isTruncated()).isFalse();
    }

    @Test
    void uploadsAreListedInPages() {
        String b1 = begin("b", request -> {});
        String b2 = begin("b", request -> {});
        String a = begin("a", request -> {});
        String c = begin("dir/c", request -> {});
        assertThat(s3.listMultipartUploads(request -> request.bucket(bucket)).uploads())
                .extracting(MultipartUpload::uploadId)
                .containsExactlyInAnyOrder(a, b1, b2, c);
        assertThat(s3.listMultipartUploads(request -> request.bucket(bucket).prefix("dir/"))
                        .uploads())
                .extracting(MultipartUpload::uploadId)
                .containsExactly(c);
        running.difference(MOTO, "does not order uploads, and groups them otherwise");
        List<String> seen = new ArrayList<>();
        @Nullable String key = null;
        @Nullable String id = null;
        for (int page = 0; page < PAGES_MAX; page++) {
            String keyFrom = key;
            String idFrom = id;
            ListMultipartUploadsResponse listed = s3.listMultipartUploads(request -> request.bucket(bucket)
                    .delimiter("/")
                    .maxUploads(1)
                    .keyMarker(keyFrom)
                    .uploadIdMarker(idFrom));
            listed.uploads().forEach(upload -> seen.add(upload.uploadId()));
            listed.commonPrefixes().forEach(common -> seen.add(common.prefix()));
            key = listed.nextKeyMarker();
            id = listed.nextUploadIdMarker();
            if (!listed.isTruncated()) {
                break;
            }
        }
        assertThat(seen).containsExactly(a, b1, b2, "dir/");
    }

    @Test
    void checksumOfPartsIsOfTheirChecksums() {
        running.difference(MOTO, "does not verify checksums");
        String upload = begin("a", request -> request.checksumAlgorithm(ChecksumAlgorithm.SHA256));
        CompletedPart part = part("a", upload, 1, bytes("hello"), ChecksumAlgorithm.SHA256);
        assertThat(part.checksumSHA256()).isEqualTo(sha256("hello"));
        assertRefused(() -> part("a", upload, 2, bytes("x"), ChecksumAlgorithm.CRC32), 400, "InvalidRequest");
        assertRefused(
                () -> complete(
                        "a", upload, part.toBuilder().checksumSHA256(null).build()),
                400,
                "InvalidRequest");
        assertRefused(
                () -> complete(
                        "a",
                        upload,
                        part.toBuilder().checksumSHA256(sha256("x")).build()),
                400,
                "InvalidPart");
        complete("a", upload, part);
        HeadObjectResponse head =
                s3.headObject(request -> request.bucket(bucket).key("a").checksumMode(ChecksumMode.ENABLED));
        assertThat(head.checksumSHA256())
                .isEqualTo(Base64.getEncoder()
                                .encodeToString(
                                        digest("SHA-256", Base64.getDecoder().decode(sha256("hello"))))
                        + "-1");
        assertThat(head.checksumType()).isEqualTo(ChecksumType.COMPOSITE);
        assertThat(get("a")).isEqualTo("hello");
    }

    @Test
    void checksumOfPartsCanBeOfTheWhole() {
        running.difference(MOTO, "does not verify checksums");
        String upload = begin(
                "a",
                request -> request.checksumAlgorithm(ChecksumAlgorithm.CRC32).checksumType(ChecksumType.FULL_OBJECT));
        CompletedPart part = part("a", upload, 1, bytes("123456789"), ChecksumAlgorithm.CRC32);
        assertRefused(
                () -> s3.completeMultipartUpload(request -> request.bucket(bucket)
                        .key("a")
                        .uploadId(upload)
                        .checksumCRC32("AAAAAA==")
                        .multipartUpload(all -> all.parts(part))),
                400,
                "BadDigest");
        complete("a", upload, part);
        HeadObjectResponse head =
                s3.headObject(request -> request.bucket(bucket).key("a").checksumMode(ChecksumMode.ENABLED));
        assertThat(head.checksumCRC32()).isEqualTo("y/Q5Jg==");
        assertThat(head.checksumType()).isEqualTo(ChecksumType.FULL_OBJECT);
        assertRefused(
                () -> begin(
                        "b",
                        request -> request.checksumAlgorithm(ChecksumAlgorithm.SHA1)
                                .checksumType(ChecksumType.FULL_OBJECT)),
                400,
                "InvalidRequest");
    }

    @Test
    void restIsNotImplemented() {
        running.difference(MOTO, "has more of S3");
        put("a", "x");
        assertRefused(
                () -> s3.copyObject(request -> request.sourceBucket(bucket)
                        .sourceKey("a")
                        .destinationBucket(bucket)
                        .destinationKey("b")),
                501,
                "NotImplemented");
        assertRefused(() -> s3.getBucketVersioning(request -> request.bucket(bucket)), 501, "NotImplemented");
        assertRefused(() -> get(request -> request.versionId("v1")), 501, "NotImplemented");
        assertRefused(
                () -> s3.putObject(
                        request -> request.bucket(bucket).key("b").storageClass("GLACIER"),
                        RequestBody.fromString("x")),
                501,
                "NotImplemented");
        assertThat(keys("")).containsExactly("a");
    }

    private PutObjectResponse put(String key, String content) {
        return s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromString(content));
    }

    private boolean putIfNone(String key, String content) {
        try {
            s3.putObject(request -> request.bucket(bucket).key(key).ifNoneMatch("*"), RequestBody.fromString(content));
            return true;
        } catch (S3Exception e) {
            assertThat(e.statusCode()).isEqualTo(412);
            return false;
        }
    }

    private String get(String key) {
        return s3.getObjectAsBytes(request -> request.bucket(bucket).key(key)).asUtf8String();
    }

    /** Reads the object {@code a}. */
    private String get(Consumer<GetObjectRequest.Builder> more) {
        return s3.getObjectAsBytes(request -> more.accept(request.bucket(bucket).key("a")))
                .asUtf8String();
    }

    private List<String> keys(String prefix) {
        return s3.listObjectsV2Paginator(request -> request.bucket(bucket).prefix(prefix)).contents().stream()
                .map(S3Object::key)
                .toList();
    }

    private String begin(String key, Consumer<CreateMultipartUploadRequest.Builder> more) {
        return s3.createMultipartUpload(
                        request -> more.accept(request.bucket(bucket).key(key)))
                .uploadId();
    }

    private CompletedPart part(String key, String upload, int number, byte[] content) {
        return part(key, upload, number, content, null);
    }

    private CompletedPart part(
            String key, String upload, int number, byte[] content, @Nullable ChecksumAlgorithm algorithm) {
        var response = s3.uploadPart(
                request -> request.bucket(bucket)
                        .key(key)
                        .uploadId(upload)
                        .partNumber(number)
                        .checksumAlgorithm(algorithm),
                RequestBody.fromBytes(content));
        return CompletedPart.builder()
                .partNumber(number)
                .eTag(response.eTag())
                .checksumCRC32(response.checksumCRC32())
                .checksumSHA256(response.checksumSHA256())
                .build();
    }

    private String complete(String key, String upload, CompletedPart... parts) {
        return s3.completeMultipartUpload(request ->
                        request.bucket(bucket).key(key).uploadId(upload).multipartUpload(all -> all.parts(parts)))
                .eTag();
    }

    private ListPartsResponse parts(String key, String upload, int marker, int partsMax) {
        return s3.listParts(request -> request.bucket(bucket)
                .key(key)
                .uploadId(upload)
                .partNumberMarker(marker)
                .maxParts(partsMax));
    }

    private static void assertRefused(ThrowingCallable request, int status, String code) {
        S3Exception refused = catchThrowableOfType(S3Exception.class, request);
        assertThat(refused).as(code).isNotNull();
        assertThat(refused.awsErrorDetails().errorCode()).isEqualTo(code);
        assertThat(refused.statusCode()).isEqualTo(status);
        assertThat(refused.awsErrorDetails().errorMessage()).isNotEmpty();
    }

    private static void assertRefusedWithoutBody(ThrowingCallable request, int status) {
        S3Exception refused = catchThrowableOfType(S3Exception.class, request);
        assertThat(refused).isNotNull();
        assertThat(refused.statusCode()).isEqualTo(status);
    }

    private static void isPlausible(Instant time) {
        assertThat(time).isAfter(Instant.parse("2020-01-01T00:00:00Z")).isBefore(Instant.parse("2120-01-01T00:00:00Z"));
    }

    private static @Nullable String checksum(GetObjectResponse response, ChecksumAlgorithm algorithm) {
        return switch (algorithm) {
            case CRC32 -> response.checksumCRC32();
            case CRC32_C -> response.checksumCRC32C();
            case SHA1 -> response.checksumSHA1();
            default -> response.checksumSHA256();
        };
    }

    private static ObjectIdentifier id(String key) {
        return ObjectIdentifier.builder().key(key).build();
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] content(int length, long seed) {
        byte[] content = new byte[length];
        new Random(seed).nextBytes(content);
        return content;
    }

    private static String sha256(String text) {
        return Base64.getEncoder().encodeToString(digest("SHA-256", bytes(text)));
    }

    private static byte[] digest(String algorithm, byte[] content) {
        try {
            return MessageDigest.getInstance(algorithm).digest(content);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
