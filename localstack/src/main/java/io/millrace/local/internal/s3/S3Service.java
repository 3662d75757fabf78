package io.millrace.local.internal.s3;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.AwsServiceException;
import io.millrace.local.internal.wire.AwsRequest;
import io.millrace.local.internal.wire.AwsResponse;
import io.millrace.local.internal.wire.RequestIds;
import io.millrace.local.internal.wire.RestService;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * S3, in memory: buckets without versions, objects whole or in parts, listings, conditions and checksums. Every read sees
 * all writes before it. Times follow the clock, and ids the seed. Signatures are not checked. Thread-safe.
 */
public final class S3Service implements RestService {
    private static final byte[] NOTHING = new byte[0];
    private static final int REQUEST_ID_CHARACTERS = 16;

    private final String account;
    private final RequestIds requestIds;
    private final BucketOperations bucketOperations;
    private final ObjectOperations objectOperations;
    private final ListOperations listOperations;
    private final MultipartOperations multipartOperations;

    /** @param seed what the ids of requests and uploads are drawn from */
    public S3Service(Clock clock, String region, String account, long seed) {
        this.account = account;
        this.requestIds = new RequestIds(seed);
        Buckets buckets = new Buckets();
        this.bucketOperations = new BucketOperations(buckets, clock, region, account);
        this.objectOperations = new ObjectOperations(buckets, clock);
        this.listOperations = new ListOperations(buckets, account);
        this.multipartOperations = new MultipartOperations(buckets, clock, account, new RequestIds(~seed));
    }

    @Override
    public boolean serves(AwsRequest request) {
        return S3Address.of(request.header("Host"), request.path()).isOfS3(request.method());
    }

    @Override
    public AwsResponse handle(AwsRequest http) {
        String requestId = requestIds.next();
        String hostId = requestIds.next();
        S3Reply reply;
        try {
            S3Request request = S3Request.of(http);
            RequestHeaders.check(request, account);
            reply = call(request);
        } catch (AwsServiceException e) {
            reply = S3Reply.xml(e.httpStatus(), errorDocument(e, requestId(requestId), hostId));
        }
        Map<String, String> headers = new LinkedHashMap<>(reply.headers());
        headers.put("x-amz-request-id", requestId(requestId));
        headers.put("x-amz-id-2", hostId);
        headers.put("Server", "AmazonS3");
        headers.put("Content-Length", Long.toString(reply.contentLength()));
        return new AwsResponse(reply.status(), headers, http.method().equals("HEAD") ? NOTHING : reply.body());
    }

    private S3Reply call(S3Request request) {
        return switch (request.operation()) {
            case LIST_BUCKETS -> bucketOperations.list(request);
            case CREATE_BUCKET -> bucketOperations.create(request);
            case HEAD_BUCKET -> bucketOperations.head(request);
            case DELETE_BUCKET -> bucketOperations.delete(request);
            case PUT_OBJECT -> objectOperations.put(request);
            case GET_OBJECT -> objectOperations.get(request);
            case HEAD_OBJECT -> objectOperations.head(request);
            case DELETE_OBJECT -> objectOperations.delete(request);
            case DELETE_OBJECTS -> objectOperations.deleteAll(request);
            case LIST_OBJECTS_V2 -> listOperations.objects(request);
            case LIST_MULTIPART_UPLOADS -> listOperations.uploads(request);
            case CREATE_MULTIPART_UPLOAD -> multipartOperations.create(request);
            case UPLOAD_PART -> multipartOperations.uploadPart(request);
            case COMPLETE_MULTIPART_UPLOAD -> multipartOperations.complete(request);
            case ABORT_MULTIPART_UPLOAD -> multipartOperations.abort(request);
            case LIST_PARTS -> multipartOperations.listParts(request);
        };
    }

    /** S3's own request ids are shorter than those of other services. */
    private static String requestId(String drawn) {
        return drawn.replace("-", "").substring(0, REQUEST_ID_CHARACTERS).toUpperCase(Locale.ROOT);
    }

    private static byte[] errorDocument(AwsServiceException error, String requestId, String hostId) {
        return XmlOutput.error(root -> {
            root.element("Code", error.code()).element("Message", String.valueOf(error.getMessage()));
            ObjectNode members = error.members();
            if (members != null) {
                members.properties()
                        .forEach(member ->
                                root.element(member.getKey(), member.getValue().asText()));
            }
            root.element("RequestId", requestId).element("HostId", hostId);
        });
    }
}
