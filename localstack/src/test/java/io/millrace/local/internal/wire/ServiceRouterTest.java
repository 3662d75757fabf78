package io.millrace.local.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import com.fasterxml.jackson.dataformat.cbor.CBORGenerator;
import io.millrace.local.internal.AwsService;
import io.millrace.local.internal.AwsServiceException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ServiceRouterTest {
    private static final Instant TIME = Instant.parse("2022-12-20T18:54:58.449Z");
    private static final String JSON = "application/x-amz-json-1.1";
    private static final String CBOR = "application/x-amz-cbor-1.1";

    /** Answers with what it was asked and with a value of each kind, or fails as its operation says. */
    private static final AwsService ECHO = (operation, request) -> {
        ObjectNode members = JsonNodeFactory.instance.objectNode().put("Reason", "x");
        return switch (operation) {
            case "Echo" -> {
                ObjectNode response = JsonNodeFactory.instance.objectNode();
                response.set("Request", request);
                response.put("Data", new byte[] {-1, -2});
                response.putPOJO("Time", TIME);
                yield response;
            }
            case "Missing" -> throw AwsServiceException.client("ResourceNotFoundException", "not here");
            case "Cancelled" ->
                throw new AwsServiceException(400, "TransactionCanceledException", "cancelled", members);
            case "Invalid" -> throw AwsServiceException.client("ValidationException", "invalid");
            case "Broken" -> throw new AwsServiceException(500, "InternalServerError", "broken", null);
            default -> throw AwsServiceException.client("UnknownOperationException", "no " + operation);
        };
    };

    private final ServiceRouter router =
            new ServiceRouter(List.of(DocumentService.kinesis(ECHO), DocumentService.dynamoDb(ECHO)), List.of(), 7);

    @Test
    void jsonDocumentsGoInAndOut() throws IOException {
        AwsResponse response = send("Kinesis_20131202.Echo", JSON, utf8("{\"A\":1,\"B\":\"é\"}"));
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.headers()).containsEntry("Content-Type", JSON).containsKey("x-amzn-RequestId");
        assertThat(new String(response.body(), StandardCharsets.UTF_8))
                .isEqualTo("{\"Request\":{\"A\":1,\"B\":\"é\"},\"Data\":\"//4=\",\"Time\":1671562498.449}");
    }

    @Test
    void requestsWithoutATargetGoToTheServiceThatServesThem() {
        RestService files = new RestService() {
            @Override
            public boolean serves(AwsRequest request) {
                return request.method().equals("GET");
            }

            @Override
            public AwsResponse handle(AwsRequest request) {
                return new AwsResponse(203, Map.of(), new byte[0]);
            }
        };
        ServiceRouter both = new ServiceRouter(List.of(DocumentService.kinesis(ECHO)), List.of(files), 7);
        assertThat(both.handle(new AwsRequest("GET", "/f", "", Map.of(), new byte[0]))
                        .status())
                .isEqualTo(203);
        assertThat(both.handle(new AwsRequest("POST", "/", "", Map.of(), new byte[0]))
                        .status())
                .isEqualTo(400);
        Map<String, List<String>> target =
                Map.of("X-Amz-Target", List.of("Kinesis_20131202.Echo"), "Content-Type", List.of(JSON));
        assertThat(both.handle(new AwsRequest("GET", "/", "", target, utf8("{}")))
                        .status())
                .isEqualTo(200);
    }

    @Test
    void cborDocumentsGoInAndOut() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        try (CBORGenerator cbor = new CBORFactory().createGenerator(body)) {
            cbor.writeStartObject();
            cbor.writeStringField("Name", "é");
            cbor.writeFieldName("Time");
            cbor.writeTag(1);
            cbor.writeNumber(TIME.toEpochMilli());
            cbor.writeBinaryField("Data", new byte[] {1, 2});
            cbor.writeArrayFieldStart("List");
            cbor.writeNumber(5);
            cbor.writeBoolean(true);
            cbor.writeNull();
            cbor.writeEndArray();
            cbor.writeEndObject();
        }
        AwsResponse response = send("Kinesis_20131202.Echo", CBOR, body.toByteArray());
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.headers()).containsEntry("Content-Type", CBOR);
        ObjectNode document = DocumentFormat.CBOR_1_1.read(response.body());
        assertThat(document.get("Data").binaryValue()).containsExactly(-1, -2);
        assertThat(document.get("Time")).isEqualTo(JsonNodeFactory.instance.pojoNode(TIME));
        JsonNode request = document.get("Request");
        assertThat(request.get("Name").textValue()).isEqualTo("é");
        assertThat(request.get("Time")).isEqualTo(JsonNodeFactory.instance.pojoNode(TIME));
        assertThat(request.get("Data").binaryValue()).containsExactly(1, 2);
        assertThat(request.get("List").toString()).isEqualTo("[5,true,null]");
    }

    @Test
    void errorsHaveTheServicesShape() throws IOException {
        AwsResponse kinesis = send("Kinesis_20131202.Missing", JSON, utf8("{}"));
        assertThat(kinesis.status()).isEqualTo(400);
        assertThat(kinesis.headers()).containsEntry("x-amzn-ErrorType", "ResourceNotFoundException");
        assertThat(new String(kinesis.body(), StandardCharsets.UTF_8))
                .isEqualTo("{\"__type\":\"ResourceNotFoundException\",\"message\":\"not here\"}");
        AwsResponse cbor = send("Kinesis_20131202.Missing", CBOR, new byte[] {(byte) 0xa0});
        assertThat(type(cbor, DocumentFormat.CBOR_1_1)).isEqualTo("ResourceNotFoundException");
        assertThat(dynamoDbType("Missing")).isEqualTo("com.amazonaws.dynamodb.v20120810#ResourceNotFoundException");
        assertThat(dynamoDbType("Invalid")).isEqualTo("com.amazon.coral.validate#ValidationException");
        assertThat(dynamoDbType("Nothing")).isEqualTo("com.amazon.coral.service#UnknownOperationException");
        AwsResponse cancelled = send("DynamoDB_20120810.Cancelled", JSON, utf8("{}"));
        assertThat(DocumentFormat.JSON_1_0.read(cancelled.body()).get("Reason").textValue())
                .isEqualTo("x");
        assertThat(send("DynamoDB_20120810.Broken", JSON, utf8("{}")).status()).isEqualTo(500);
    }

    @Test
    void dynamoDbResponsesCarryTheirChecksum() {
        AwsResponse response = send("DynamoDB_20120810.Echo", "application/x-amz-json-1.0", utf8("{}"));
        CRC32 checksum = new CRC32();
        checksum.update(response.body());
        assertThat(response.headers()).containsEntry("x-amz-crc32", Long.toString(checksum.getValue()));
        assertThat(send("Kinesis_20131202.Echo", JSON, utf8("{}")).headers()).doesNotContainKey("x-amz-crc32");
    }

    @Test
    void malformedBodiesAreRefused() throws IOException {
        for (String body : List.of("", "{", "[]", "7", "{} {}", "{\"A\":}")) {
            AwsResponse response = send("Kinesis_20131202.Echo", JSON, utf8(body));
            assertThat(response.status()).isEqualTo(400);
            assertThat(type(response, DocumentFormat.JSON_1_1)).as(body).isEqualTo("SerializationException");
        }
        for (String body : List.of("", "bf", "a1", "a16141", "80", "00", "a0a0", "ff", "a16141f8")) {
            AwsResponse response =
                    send("Kinesis_20131202.Echo", CBOR, HexFormat.of().parseHex(body));
            assertThat(response.status()).as(body).isEqualTo(400);
            assertThat(type(response, DocumentFormat.CBOR_1_1)).as(body).isEqualTo("SerializationException");
        }
    }

    @Test
    void unknownTargetsAndFormatsAreRefused() throws IOException {
        for (@Nullable String target : new @Nullable String[] {null, "", "Kinesis_20131202", "Sqs_2012.SendMessage"}) {
            AwsResponse response = send(target, JSON, utf8("{}"));
            assertThat(response.status()).isEqualTo(400);
            assertThat(type(response, DocumentFormat.JSON_1_1)).isEqualTo("UnknownOperationException");
        }
        AwsResponse response = send("Kinesis_20131202.Echo", "text/plain", utf8("{}"));
        assertThat(type(response, DocumentFormat.JSON_1_1)).isEqualTo("UnknownOperationException");
    }

    @Test
    void requestIdsFollowTheSeed() {
        ServiceRouter same = new ServiceRouter(List.of(DocumentService.kinesis(ECHO)), List.of(), 7);
        AwsRequest request = request("Kinesis_20131202.Echo", JSON, utf8("{}"));
        String first = requestId(router.handle(request));
        assertThat(requestId(same.handle(request))).isEqualTo(first);
        assertThat(requestId(router.handle(request))).isNotEqualTo(first);
    }

    @Test
    void base64OfAnyBinaryIsReadAsItself() throws IOException {
        byte[] data = {0, 1, 2, (byte) 0xff};
        ObjectNode document = DocumentFormat.JSON_1_1.read(
                utf8("{\"Data\":\"" + Base64.getEncoder().encodeToString(data) + "\"}"));
        assertThat(document.get("Data").binaryValue()).isEqualTo(data);
    }

    private String dynamoDbType(String operation) throws IOException {
        AwsResponse response = send("DynamoDB_20120810." + operation, "application/x-amz-json-1.0", utf8("{}"));
        return type(response, DocumentFormat.JSON_1_0);
    }

    private AwsResponse send(@Nullable String target, String contentType, byte[] body) {
        return router.handle(request(target, contentType, body));
    }

    private static AwsRequest request(@Nullable String target, String contentType, byte[] body) {
        Map<String, List<String>> headers = new HashMap<>();
        headers.put("content-type", List.of(contentType));
        if (target != null) {
            headers.put("X-AMZ-TARGET", List.of(target));
        }
        return new AwsRequest("POST", "/", "", headers, body);
    }

    private static String requestId(AwsResponse response) {
        return Objects.requireNonNull(response.headers().get("x-amzn-RequestId"));
    }

    private static String type(AwsResponse response, DocumentFormat format) throws IOException {
        return format.read(response.body()).get("__type").textValue();
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
