package io.millrace.local.internal.faults;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.HttpExecuteResponse;

/**
 * Faults that are a valid, but poorer answer: the request is executed as it is (its signature stays true), and the
 * answer loses something. Each is empty when the answer cannot be rewritten truthfully.
 */
public final class ResponseRewriting {
    private static final long BEHIND_MILLIS_MIN = 1000;

    private ResponseRewriting() {}

    /** A response whose body was read, so that it can be rewritten or given back as it was. */
    public static final class Buffered {
        private final HttpExecuteResponse response;
        private final byte[] body;

        private Buffered(HttpExecuteResponse response, byte[] body) {
            this.response = response;
            this.body = body;
        }

        /** Reads the whole body of a response. */
        public static Buffered of(HttpExecuteResponse response) throws IOException {
            byte[] body = new byte[0];
            if (response.responseBody().isPresent()) {
                try (AbortableInputStream stream = response.responseBody().get()) {
                    body = stream.readAllBytes();
                }
            }
            return new Buffered(response, body);
        }

        /** The response as it came. */
        public HttpExecuteResponse original() {
            return HttpExecuteResponse.builder()
                    .response(response.httpResponse())
                    .responseBody(AbortableInputStream.create(new ByteArrayInputStream(body)))
                    .build();
        }

        public boolean successful() {
            return response.httpResponse().isSuccessful();
        }

        private boolean readable() {
            return successful()
                    && response.httpResponse()
                            .firstMatchingHeader("Content-Encoding")
                            .isEmpty();
        }
    }

    /**
     * The answer of a batch read without some of its keys, which are unprocessed instead. Empty if there are fewer than two
     * keys, if some are unprocessed already, or if the items cannot be told apart for lack of their keys.
     */
    public static Optional<HttpExecuteResponse> withUnprocessedKeys(
            AwsRequest request, Buffered buffered, BooleanSupplier drop) {
        if (!buffered.readable()) {
            return Optional.empty();
        }
        ObjectNode answer = (ObjectNode) request.format().read(buffered.body);
        JsonNode asked = request.document().path("RequestItems");
        if (keyCount(asked) < 2 || answer.path("UnprocessedKeys").size() > 0 || !itemsHaveKeys(asked, answer)) {
            return Optional.empty();
        }
        ObjectNode unprocessed = JsonNodeFactory.instance.objectNode();
        boolean oneKept = false;
        for (Map.Entry<String, JsonNode> table : asked.properties()) {
            ArrayNode items = (ArrayNode) answer.path("Responses").path(table.getKey());
            ArrayNode dropped = JsonNodeFactory.instance.arrayNode();
            for (JsonNode key : table.getValue().path("Keys")) {
                if (!oneKept || !drop.getAsBoolean()) {
                    oneKept = true;
                } else {
                    dropped.add(key);
                    removeItem(items, key);
                }
            }
            if (!dropped.isEmpty()) {
                ObjectNode rest = ((ObjectNode) table.getValue()).deepCopy();
                rest.set("Keys", dropped);
                unprocessed.set(table.getKey(), rest);
            }
        }
        if (unprocessed.isEmpty()) {
            return Optional.empty();
        }
        answer.set("UnprocessedKeys", unprocessed);
        return Optional.of(FaultResponses.respond(request, 200, answer));
    }

    private static int keyCount(JsonNode asked) {
        int count = 0;
        for (JsonNode table : asked) {
            count += table.path("Keys").size();
        }
        return count;
    }

    /** A projection can leave the keys out, and then nobody can say which item belongs to which key. */
    private static boolean itemsHaveKeys(JsonNode asked, JsonNode answer) {
        for (Map.Entry<String, JsonNode> table : asked.properties()) {
            JsonNode items = answer.path("Responses").path(table.getKey());
            if (!items.isArray()) {
                return false;
            }
            List<String> keyNames = new ArrayList<>();
            table.getValue().path("Keys").path(0).fieldNames().forEachRemaining(keyNames::add);
            for (JsonNode item : items) {
                if (!keyNames.stream().allMatch(item::has)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static void removeItem(ArrayNode items, JsonNode key) {
        Iterator<JsonNode> each = items.iterator();
        while (each.hasNext()) {
            JsonNode item = each.next();
            if (key.properties().stream().allMatch(name -> sameValue(name.getValue(), item.get(name.getKey())))) {
                each.remove();
                return;
            }
        }
    }

    private static boolean sameValue(JsonNode one, JsonNode other) {
        if (one.has("N") && other.has("N")) {
            return new BigDecimal(one.get("N").asText())
                            .compareTo(new BigDecimal(other.get("N").asText()))
                    == 0;
        }
        return one.equals(other);
    }

    /**
     * The answer of a shard read without its records: the iterator of the request goes on being valid and the tip is not reached.
     * Empty if there are no records, since then the shard may be at its tip.
     */
    public static Optional<HttpExecuteResponse> withoutRecords(AwsRequest request, Buffered buffered) {
        if (!buffered.readable()) {
            return Optional.empty();
        }
        JsonNode answer = request.format().read(buffered.body);
        if (answer.path("Records").isEmpty()) {
            return Optional.empty();
        }
        ObjectNode empty = JsonNodeFactory.instance.objectNode();
        empty.putArray("Records");
        empty.put("NextShardIterator", request.shardIterator());
        empty.put(
                "MillisBehindLatest",
                Math.max(BEHIND_MILLIS_MIN, answer.path("MillisBehindLatest").asLong()));
        return Optional.of(FaultResponses.respond(request, 200, empty));
    }
}
