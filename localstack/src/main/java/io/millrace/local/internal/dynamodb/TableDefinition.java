package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * What a table was created with.
 *
 * @param attributes the declared key attributes of the table and its indexes, in the order of the request
 * @param extras members of the request that change nothing here and are only described: streams, encryption, and the like
 */
record TableDefinition(
        String name,
        String arn,
        String id,
        Instant created,
        KeySchema keys,
        Map<String, AttributeType> attributes,
        Billing billing,
        List<IndexDefinition> indexes,
        ObjectNode extras) {

    /** How a table is paid for; the units are zero when it is paid by request. */
    record Billing(boolean payPerRequest, long readUnits, long writeUnits) {}

    /** What an index was created with. */
    record IndexDefinition(Supplier<SecondaryIndex> factory, Billing billing) {}

    /** Fresh, empty indexes. */
    List<SecondaryIndex> newIndexes() {
        return indexes.stream().map(index -> index.factory().get()).toList();
    }
}
