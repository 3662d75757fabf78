package io.millrace.local.internal.wire;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.cbor.CBORFactory;
import com.fasterxml.jackson.dataformat.cbor.CBORGenerator;
import com.fasterxml.jackson.dataformat.cbor.CBORParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How AWS's JSON protocols write a document: as JSON text or as CBOR. A time is a {@code POJONode} of an
 * {@link Instant} in the document, seconds with a fraction in JSON, and milliseconds under tag 1 in CBOR. Binary values
 * are base64 text in JSON and byte strings in CBOR.
 */
public final class DocumentFormat {
    static final DocumentFormat JSON_1_0 = new DocumentFormat("application/x-amz-json-1.0", jsonMapper());
    static final DocumentFormat JSON_1_1 = new DocumentFormat("application/x-amz-json-1.1", jsonMapper());
    static final DocumentFormat CBOR_1_1 = new DocumentFormat("application/x-amz-cbor-1.1", cborMapper());

    private static final List<DocumentFormat> ALL = List.of(JSON_1_0, JSON_1_1, CBOR_1_1);
    private static final int CBOR_EPOCH_TAG = 1;

    private final String contentType;
    private final ObjectMapper mapper;

    private DocumentFormat(String contentType, ObjectMapper mapper) {
        this.contentType = contentType;
        this.mapper = mapper;
    }

    public String contentType() {
        return contentType;
    }

    /** The format of that content type, whose parameters are ignored, or null if AWS knows no such format. */
    static @Nullable DocumentFormat ofContentType(@Nullable String contentType) {
        if (contentType == null) {
            return null;
        }
        int parameters = contentType.indexOf(';');
        String type = (parameters < 0 ? contentType : contentType.substring(0, parameters))
                .strip()
                .toLowerCase(Locale.ROOT);
        for (DocumentFormat format : ALL) {
            if (format.contentType.equals(type)) {
                return format;
            }
        }
        return type.equals("application/json") ? JSON_1_1 : null;
    }

    /**
     * Reads a document.
     *
     * @throws IOException if the bytes are no single well-formed object
     */
    public ObjectNode read(byte[] body) throws IOException {
        JsonNode document = this == CBOR_1_1 ? readCbor(body) : mapper.readTree(body);
        if (document instanceof ObjectNode object) {
            return object;
        }
        throw new IOException("Start of structure or map found where not expected.");
    }

    /** Writes a document. */
    public byte[] write(ObjectNode document) {
        try {
            return mapper.writeValueAsBytes(document);
        } catch (IOException e) {
            throw new UncheckedIOException("a response document cannot be written as " + contentType, e);
        }
    }

    private JsonNode readCbor(byte[] body) throws IOException {
        try (CBORParser parser = (CBORParser) mapper.createParser(body)) {
            if (parser.nextToken() == null) {
                throw new IOException("The request body is empty.");
            }
            JsonNode document = readCborValue(parser);
            if (parser.nextToken() != null) {
                throw new IOException("The request body goes on after its document.");
            }
            return document;
        }
    }

    /** Reads the value at the parser's token; the parser itself bounds the nesting. */
    private static JsonNode readCborValue(CBORParser parser) throws IOException {
        JsonNodeFactory nodes = JsonNodeFactory.instance;
        JsonToken token = parser.currentToken();
        return switch (token) {
            case START_OBJECT -> readCborObject(parser);
            case START_ARRAY -> readCborArray(parser);
            case VALUE_EMBEDDED_OBJECT -> nodes.binaryNode(parser.getBinaryValue());
            case VALUE_STRING -> nodes.textNode(parser.getText());
            case VALUE_NUMBER_INT ->
                parser.getCurrentTag() == CBOR_EPOCH_TAG
                        ? nodes.pojoNode(Instant.ofEpochMilli(parser.getLongValue()))
                        : integerNode(parser);
            case VALUE_NUMBER_FLOAT -> nodes.numberNode(parser.getDecimalValue());
            case VALUE_TRUE, VALUE_FALSE -> nodes.booleanNode(token == JsonToken.VALUE_TRUE);
            case VALUE_NULL -> nodes.nullNode();
            default -> throw new IOException("Unexpected token " + token + " in the request body.");
        };
    }

    private static ObjectNode readCborObject(CBORParser parser) throws IOException {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        while (requireToken(parser.nextToken()) != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            requireToken(parser.nextToken());
            object.set(name, readCborValue(parser));
        }
        return object;
    }

    private static ArrayNode readCborArray(CBORParser parser) throws IOException {
        ArrayNode array = JsonNodeFactory.instance.arrayNode();
        while (requireToken(parser.nextToken()) != JsonToken.END_ARRAY) {
            array.add(readCborValue(parser));
        }
        return array;
    }

    private static JsonNode integerNode(JsonParser parser) throws IOException {
        return parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER
                ? JsonNodeFactory.instance.numberNode(parser.getBigIntegerValue())
                : JsonNodeFactory.instance.numberNode(parser.getLongValue());
    }

    private static JsonToken requireToken(@Nullable JsonToken token) throws IOException {
        if (token == null) {
            throw new IOException("The request body ends inside its document.");
        }
        return token;
    }

    private static ObjectMapper jsonMapper() {
        return configure(new ObjectMapper(), new JsonSerializer<>() {
            @Override
            public void serialize(Instant time, JsonGenerator json, SerializerProvider provider) throws IOException {
                json.writeNumber(BigDecimal.valueOf(time.toEpochMilli(), 3).toPlainString());
            }
        });
    }

    private static ObjectMapper cborMapper() {
        return configure(new ObjectMapper(new CBORFactory()), new JsonSerializer<>() {
            @Override
            public void serialize(Instant time, JsonGenerator cbor, SerializerProvider provider) throws IOException {
                ((CBORGenerator) cbor).writeTag(CBOR_EPOCH_TAG);
                cbor.writeNumber(time.toEpochMilli());
            }
        });
    }

    private static ObjectMapper configure(ObjectMapper mapper, JsonSerializer<Instant> times) {
        return mapper.registerModule(new SimpleModule().addSerializer(Instant.class, times))
                .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
    }
}
