package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.JsonNode;
import io.millrace.local.internal.AwsServiceException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The client request tokens of transactions that succeeded, each for ten minutes, with a digest of what they did. Bounded:
 * beyond {@link #TOKENS_MAX} the oldest goes early, which only a clock that stands still can bring about. Guarded by the
 * lock of the {@link TableStore}.
 */
final class RequestTokens {
    static final Duration LIFETIME = Duration.ofMinutes(10);
    static final int TOKENS_MAX = 200_000;

    private final LinkedHashMap<String, Success> successes = new LinkedHashMap<>();

    private static final class Success {
        final byte[] digest;
        final Instant end;

        Success(byte[] digest, Instant end) {
            this.digest = digest;
            this.end = end;
        }
    }

    /**
     * Whether a transaction with this token has already succeeded.
     *
     * @throws AwsServiceException {@code IdempotentParameterMismatchException} if it was another transaction
     */
    boolean alreadySucceeded(String token, byte[] digest, Instant now) {
        Iterator<Success> oldest = successes.values().iterator();
        while (oldest.hasNext() && !now.isBefore(oldest.next().end)) {
            oldest.remove();
        }
        Success success = successes.get(token);
        if (success == null || !now.isBefore(success.end)) {
            return false;
        }
        if (!Arrays.equals(success.digest, digest)) {
            throw AwsServiceException.client(
                    "IdempotentParameterMismatchException",
                    "The request uses the same client token as a previous, but non-identical request. "
                            + "Do not reuse a client token with different requests, unless the requests are identical.");
        }
        return true;
    }

    void succeeded(String token, byte[] digest, Instant now) {
        successes.remove(token);
        if (successes.size() >= TOKENS_MAX) {
            Iterator<Success> oldest = successes.values().iterator();
            oldest.next();
            oldest.remove();
        }
        successes.put(token, new Success(digest, now.plus(LIFETIME)));
    }

    /** A digest of a document that does not depend on the order of its members. */
    static byte[] digest(JsonNode document) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            update(digest, document);
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    private static void update(MessageDigest digest, JsonNode node) {
        if (node.isObject()) {
            digest.update((byte) '{');
            Map<String, JsonNode> sorted = new TreeMap<>();
            node.properties().forEach(member -> sorted.put(member.getKey(), member.getValue()));
            sorted.forEach((name, member) -> {
                updateText(digest, name);
                update(digest, member);
            });
            digest.update((byte) '}');
        } else if (node.isArray()) {
            digest.update((byte) '[');
            node.forEach(element -> update(digest, element));
            digest.update((byte) ']');
        } else {
            updateText(digest, node.asText());
        }
    }

    private static void updateText(MessageDigest digest, String text) {
        digest.update(text.getBytes(StandardCharsets.UTF_8));
        // No UTF-8 text contains this byte, so that two neighbours cannot be taken for one text.
        digest.update((byte) 0xFF);
    }
}
