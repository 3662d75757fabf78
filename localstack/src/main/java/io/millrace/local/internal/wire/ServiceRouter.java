package io.millrace.local.internal.wire;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.AwsServiceException;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Finds the service that a request is for, decodes and encodes the documents, and turns a service's errors into
 * responses. Signatures are not checked: any credentials are good. Thread-safe.
 */
public final class ServiceRouter implements AwsHandler {
    private final Map<String, DocumentService> servicesByTargetPrefix = new LinkedHashMap<>();
    private final List<RestService> restServices;
    private final RequestIds requestIds;

    /**
     * @param restServices who are asked in turn whether they serve a request without {@code X-Amz-Target}
     * @param seed where the request ids begin
     */
    public ServiceRouter(List<DocumentService> services, List<RestService> restServices, long seed) {
        this.restServices = List.copyOf(restServices);
        this.requestIds = new RequestIds(seed);
        for (DocumentService service : services) {
            servicesByTargetPrefix.put(service.targetPrefix(), service);
        }
    }

    @Override
    public AwsResponse handle(AwsRequest request) {
        String target = request.header("X-Amz-Target");
        if (target == null) {
            for (RestService service : restServices) {
                if (service.serves(request)) {
                    return service.handle(request);
                }
            }
        }
        DocumentFormat format = DocumentFormat.ofContentType(request.header("Content-Type"));
        int dot = target == null ? -1 : target.indexOf('.');
        DocumentService service =
                target == null || dot < 0 ? null : servicesByTargetPrefix.get(target.substring(0, dot));
        if (target == null || service == null) {
            AwsServiceException error = AwsServiceException.client(
                    "UnknownOperationException",
                    "The X-Amz-Target header is " + target + "; the embedded AWS serves "
                            + servicesByTargetPrefix.keySet() + ".");
            return errorResponse(null, format == null ? DocumentFormat.JSON_1_1 : format, error);
        }
        if (format == null) {
            AwsServiceException error = AwsServiceException.client(
                    "UnknownOperationException",
                    "The Content-Type header is " + request.header("Content-Type")
                            + "; use application/x-amz-json-1.0, -1.1 or application/x-amz-cbor-1.1.");
            return errorResponse(service, DocumentFormat.JSON_1_1, error);
        }
        return call(service, target.substring(dot + 1), format, request.body());
    }

    private AwsResponse call(DocumentService service, String operation, DocumentFormat format, byte[] body) {
        ObjectNode document;
        try {
            document = format.read(body);
        } catch (IOException e) {
            String reason = e.getMessage() == null ? "The request body cannot be read." : e.getMessage();
            return errorResponse(service, format, AwsServiceException.client("SerializationException", reason));
        }
        try {
            return response(service, format, 200, null, service.service().call(operation, document));
        } catch (AwsServiceException e) {
            return errorResponse(service, format, e);
        }
    }

    private AwsResponse errorResponse(
            @Nullable DocumentService service, DocumentFormat format, AwsServiceException error) {
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        document.put("__type", service == null ? error.code() : service.errorType(error.code()));
        document.put("message", error.getMessage());
        ObjectNode members = error.members();
        if (members != null) {
            document.setAll(members);
        }
        return response(service, format, error.httpStatus(), error.code(), document);
    }

    private AwsResponse response(
            @Nullable DocumentService service,
            DocumentFormat format,
            int status,
            @Nullable String errorCode,
            ObjectNode document) {
        // AWS sends no body at all for an operation without output; the SDKs take an empty document for one too.
        byte[] body = format.write(document);
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put("Content-Type", format.contentType());
        headers.put("Content-Length", Integer.toString(body.length));
        headers.put("x-amzn-RequestId", requestIds.next());
        if (errorCode != null) {
            headers.put("x-amzn-ErrorType", errorCode);
        }
        if (service != null && service.bodyChecksum()) {
            CRC32 checksum = new CRC32();
            checksum.update(body);
            headers.put("x-amz-crc32", Long.toString(checksum.getValue()));
        }
        return new AwsResponse(status, headers, body);
    }
}
