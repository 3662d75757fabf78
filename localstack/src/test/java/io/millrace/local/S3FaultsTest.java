package io.millrace.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.local.internal.s3.S3Operation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** The injector between the SDK and the embedded S3. */
class S3FaultsTest {
    private static final String BUCKET = "faults";

    private final EmbeddedAws aws = EmbeddedAws.create();
    private final AwsEndpoint endpoint = AwsEndpoint.of(aws);
    private final S3Client plain = endpoint.s3();

    S3FaultsTest() {
        plain.createBucket(request -> request.bucket(BUCKET));
    }

    @AfterEach
    void close() {
        plain.close();
        aws.close();
    }

    @Test
    void throttledRequestIsToldToSlowDown() {
        try (S3Client s3 = once(inject("S3.PutObject", Fault.THROTTLE))) {
            S3Exception refused = catchThrowableOfType(S3Exception.class, () -> put(s3, "a"));
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.awsErrorDetails().errorCode()).isEqualTo("SlowDown");
            assertThat(refused.awsErrorDetails().errorMessage()).isEqualTo("Please reduce your request rate.");
            assertThat(refused.requestId()).isNotEmpty();
            assertThat(keys()).isEmpty();
            put(s3, "a");
            assertThat(keys()).containsExactly("a");
        }
    }

    @Test
    void failedRequestIsAnInternalError() {
        put(plain, "a");
        try (S3Client s3 = once(inject("S3.GetObject", Fault.INTERNAL_SERVER_ERROR))) {
            S3Exception refused = catchThrowableOfType(
                    S3Exception.class,
                    () -> s3.getObjectAsBytes(request -> request.bucket(BUCKET).key("a")));
            assertThat(refused.statusCode()).isEqualTo(500);
            assertThat(refused.awsErrorDetails().errorCode()).isEqualTo("InternalError");
            assertThat(s3.getObjectAsBytes(request -> request.bucket(BUCKET).key("a"))
                            .asUtf8String())
                    .isEqualTo("content");
        }
    }

    @Test
    void faultOfHeadHasItsStatusOnly() {
        put(plain, "a");
        try (S3Client s3 = once(inject("S3.HeadObject", Fault.THROTTLE))) {
            S3Exception refused = catchThrowableOfType(
                    S3Exception.class,
                    () -> s3.headObject(request -> request.bucket(BUCKET).key("a")));
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.awsErrorDetails().errorCode()).isNotEqualTo("SlowDown");
        }
    }

    @Test
    void lostRequestHasDoneNothingAndALostResponseAll() {
        try (S3Client s3 = once(inject("S3.PutObject", Fault.LOST_REQUEST))) {
            assertThatThrownBy(() -> put(s3, "a")).isInstanceOf(SdkClientException.class);
            assertThat(keys()).isEmpty();
        }
        try (S3Client s3 = once(inject("S3.PutObject", Fault.LOST_RESPONSE))) {
            assertThatThrownBy(() -> put(s3, "a")).isInstanceOf(SdkClientException.class);
            assertThat(keys()).containsExactly("a");
        }
    }

    /** As on AWS: who puts conditionally must find out whether it was itself. */
    @Test
    void conditionalPutMeetsItselfAfterALostResponse() {
        try (S3Client s3 =
                endpoint.s3(inject("S3.PutObject", Fault.LOST_RESPONSE).decorate(endpoint.httpClient()))) {
            S3Exception refused = catchThrowableOfType(
                    S3Exception.class,
                    () -> s3.putObject(
                            request -> request.bucket(BUCKET).key("a").ifNoneMatch("*"),
                            RequestBody.fromString("content")));
            assertThat(refused.statusCode()).isEqualTo(412);
            assertThat(keys()).containsExactly("a");
        }
    }

    @Test
    void sdkRepeatsWhatItShould() {
        FaultInjector faults = FaultInjector.scripted()
                .inject("S3.PutObject", 1, Fault.THROTTLE)
                .inject("S3.PutObject", 2, Fault.INTERNAL_SERVER_ERROR)
                .inject("S3.PutObject", 3, Fault.LOST_REQUEST)
                .build();
        try (S3Client s3 = endpoint.s3(faults.decorate(endpoint.httpClient()))) {
            put(s3, "a");
        }
        assertThat(keys()).containsExactly("a");
        assertThat(faults.injected())
                .containsEntry(Fault.THROTTLE, 1L)
                .containsEntry(Fault.INTERNAL_SERVER_ERROR, 1L)
                .containsEntry(Fault.LOST_REQUEST, 1L);
    }

    /** Each operation is known by its name, whether the bucket is in the path or in the host. */
    @Test
    void operationsAreNamed() {
        for (boolean pathStyle : new boolean[] {true, false}) {
            for (S3Operation operation : S3Operation.values()) {
                FaultInjector faults = inject("S3." + operation.operationName(), Fault.THROTTLE);
                try (S3Client s3 = once(faults, pathStyle)) {
                    assertThatThrownBy(() -> call(s3, operation))
                            .as("%s, path style %s", operation, pathStyle)
                            .isInstanceOfSatisfying(
                                    S3Exception.class,
                                    refused -> assertThat(refused.statusCode()).isEqualTo(503));
                }
                assertThat(faults.injected()).containsEntry(Fault.THROTTLE, 1L);
            }
        }
    }

    @Test
    void requestsOfAnInvocationAreCounted() {
        InvocationScope invocation = new InvocationScope();
        SdkHttpClient counted = FaultInjector.scripted().build().decorate(endpoint.httpClient(), () -> invocation);
        try (S3Client s3 = endpoint.s3(counted)) {
            put(s3, "a");
            s3.headObject(request -> request.bucket(BUCKET).key("a"));
            assertThat(invocation.requests()).isEqualTo(2);
            invocation.abortNow();
            assertThatThrownBy(() -> put(s3, "b")).isInstanceOf(InvocationAbortedError.class);
        }
        assertThat(keys()).containsExactly("a");
    }

    private static void call(S3Client s3, S3Operation operation) {
        switch (operation) {
            case LIST_BUCKETS -> s3.listBuckets();
            case CREATE_BUCKET -> s3.createBucket(request -> request.bucket(BUCKET));
            case HEAD_BUCKET -> s3.headBucket(request -> request.bucket(BUCKET));
            case DELETE_BUCKET -> s3.deleteBucket(request -> request.bucket(BUCKET));
            case LIST_OBJECTS_V2 ->
                s3.listObjectsV2(request -> request.bucket(BUCKET).delimiter("/"));
            case DELETE_OBJECTS ->
                s3.deleteObjects(request -> request.bucket(BUCKET)
                        .delete(all ->
                                all.objects(ObjectIdentifier.builder().key("k").build())));
            case LIST_MULTIPART_UPLOADS -> s3.listMultipartUploads(request -> request.bucket(BUCKET));
            case PUT_OBJECT -> put(s3, "dir/k");
            case GET_OBJECT ->
                s3.getObjectAsBytes(request -> request.bucket(BUCKET).key("dir/k"));
            case HEAD_OBJECT -> s3.headObject(request -> request.bucket(BUCKET).key("dir/k"));
            case DELETE_OBJECT ->
                s3.deleteObject(request -> request.bucket(BUCKET).key("dir/k"));
            case CREATE_MULTIPART_UPLOAD ->
                s3.createMultipartUpload(request -> request.bucket(BUCKET).key("k"));
            case UPLOAD_PART ->
                s3.uploadPart(
                        request -> request.bucket(BUCKET).key("k").uploadId("u").partNumber(1),
                        RequestBody.fromString("x"));
            case COMPLETE_MULTIPART_UPLOAD ->
                s3.completeMultipartUpload(
                        request -> request.bucket(BUCKET).key("k").uploadId("u"));
            case ABORT_MULTIPART_UPLOAD ->
                s3.abortMultipartUpload(
                        request -> request.bucket(BUCKET).key("k").uploadId("u"));
            case LIST_PARTS ->
                s3.listParts(request -> request.bucket(BUCKET).key("k").uploadId("u"));
        }
    }

    private static FaultInjector inject(String operation, Fault fault) {
        return FaultInjector.scripted().inject(operation, 1, fault).build();
    }

    private S3Client once(FaultInjector faults) {
        return once(faults, true);
    }

    /** A client that does not repeat requests. */
    private S3Client once(FaultInjector faults, boolean pathStyle) {
        return S3Client.builder()
                .httpClient(faults.decorate(endpoint.httpClient()))
                .endpointOverride(endpoint.url())
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("id", "secret")))
                .forcePathStyle(pathStyle)
                .overrideConfiguration(settings -> settings.retryStrategy(AwsRetryStrategy.doNotRetry()))
                .build();
    }

    private static void put(S3Client s3, String key) {
        s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromString("content"));
    }

    private List<String> keys() {
        List<String> keys = new ArrayList<>();
        plain.listObjectsV2(request -> request.bucket(BUCKET)).contents().forEach(object -> keys.add(object.key()));
        return keys;
    }
}
