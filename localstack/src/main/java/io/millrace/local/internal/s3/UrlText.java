package io.millrace.local.internal.s3;

import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Text in URLs: percent signs, two hexadecimal digits, UTF-8. */
final class UrlText {
    private static final int HEX = 16;

    private UrlText() {}

    /** Decodes a part of a path, in which a plus sign is itself; refuses what is malformed with {@code InvalidURI}. */
    static String decode(String encoded) {
        if (encoded.indexOf('%') < 0) {
            return encoded;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(encoded.length());
        byte[] raw = encoded.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < raw.length; i++) {
            if (raw[i] != '%') {
                bytes.write(raw[i]);
                continue;
            }
            int high = i + 2 < raw.length ? Character.digit(raw[i + 1], HEX) : -1;
            int low = i + 2 < raw.length ? Character.digit(raw[i + 2], HEX) : -1;
            if (high < 0 || low < 0) {
                throw S3Errors.invalidUri(encoded);
            }
            bytes.write(high * HEX + low);
            i += 2;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw S3Errors.invalidUri(encoded);
        }
    }

    /** The parameters of a query string; one without a value has an empty one. */
    static Map<String, String> parameters(String query) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String pair : query.split("&", -1)) {
            if (!pair.isEmpty()) {
                int equals = pair.indexOf('=');
                String name = equals < 0 ? pair : pair.substring(0, equals);
                String value = equals < 0 ? "" : pair.substring(equals + 1);
                parameters.put(decode(name.replace('+', ' ')), decode(value.replace('+', ' ')));
            }
        }
        return parameters;
    }

    /** Encodes a key for an answer with {@code encoding-type=url}, which leaves slashes as they are. */
    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("%2F", "/");
    }
}
