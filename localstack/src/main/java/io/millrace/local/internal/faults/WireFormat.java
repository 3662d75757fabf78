package io.millrace.local.internal.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.cbor.databind.CBORMapper;
import java.io.IOException;
import java.io.UncheckedIOException;

/** How documents travel: JSON or CBOR, as the content type of the request says. */
enum WireFormat {
    JSON(new ObjectMapper()),
    CBOR(new CBORMapper());

    @SuppressWarnings("ImmutableEnumChecker") // A mapper is never reconfigured here, and so is thread-safe.
    private final ObjectMapper mapper;

    WireFormat(ObjectMapper mapper) {
        this.mapper = mapper;
    }

    static WireFormat ofContentType(String contentType) {
        return contentType.contains("cbor") ? CBOR : JSON;
    }

    JsonNode read(byte[] bytes) {
        try {
            return mapper.readTree(bytes);
        } catch (IOException failure) {
            throw new UncheckedIOException("A body of " + bytes.length + " bytes is no " + this + " document", failure);
        }
    }

    byte[] write(JsonNode document) {
        try {
            return mapper.writeValueAsBytes(document);
        } catch (IOException failure) {
            throw new UncheckedIOException("A document could not be written as " + this, failure);
        }
    }
}
