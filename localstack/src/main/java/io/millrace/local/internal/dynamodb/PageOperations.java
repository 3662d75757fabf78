package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.internal.dynamodb.KeySchema.KeyAttribute;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Query and Scan. */
final class PageOperations {
    static final int TOTAL_SEGMENTS_MAX = 1_000_000;
    private static final long HASHES = 1L << Integer.SIZE;
    private static final String KEY_CONDITION = ExpressionKind.KEY_CONDITION.parameter();
    private static final String STARTING_KEY_INVALID = "The provided starting key is invalid";

    private final TableStore store;
    private final ExpressionCache cache;
    private final CapacityMeter meter;

    PageOperations(TableStore store, ExpressionCache cache, CapacityMeter meter) {
        this.store = store;
        this.cache = cache;
        this.meter = meter;
    }

    /** The table or index that a page is read from. */
    private static final class Source {
        final Table table;
        final @Nullable SecondaryIndex index;

        Source(Table table, PageRequest request) {
            String indexName = request.indexName();
            this.table = table;
            this.index = indexName == null ? null : table.index(indexName);
            if (index != null) {
                request.requireProjected(index);
            }
        }

        KeySchema keys() {
            return index == null ? table.keys() : index.keys();
        }

        NavigableMap<StoredKey, MapValue> entries() {
            return index == null ? table.items() : index.entries();
        }

        /** The attributes of a starting key: those of the index and those of the table. */
        List<String> keyNames() {
            Set<String> names = new LinkedHashSet<>(keys().names());
            names.addAll(table.keys().names());
            return List.copyOf(names);
        }

        /** The place of a starting key, whether or not an item is still there. */
        StoredKey startKey(MapValue key) {
            List<KeyAttribute> attributes = new ArrayList<>(keys().attributes());
            attributes.addAll(table.keys().attributes());
            if (key.count() != keyNames().size()
                    || !attributes.stream()
                            .allMatch(attribute -> KeySchema.hasType(key.get(attribute.name()), attribute))) {
                throw ServiceErrors.validation(
                        STARTING_KEY_INVALID + ": The provided key element does not match the schema");
            }
            StoredKey tableKey = table.keys().ofRequest(key.only(table.keys().names()));
            StoredKey indexKey = index == null ? tableKey : index.keys().inIndex(key, tableKey);
            if (indexKey == null) {
                throw ServiceErrors.validation(STARTING_KEY_INVALID);
            }
            return indexKey;
        }

        CapacityUnits units(double units) {
            return index == null
                    ? new CapacityUnits().addTable(units)
                    : new CapacityUnits().addIndex(index.name(), units);
        }
    }

    ObjectNode query(Request request) {
        CapacityReport capacity = new CapacityReport(request, CapacityReport.Direction.READ, meter);
        Bindings bindings = Bindings.of(
                request, List.of(ExpressionKind.FILTER, ExpressionKind.KEY_CONDITION, ExpressionKind.PROJECTION));
        PageRequest page = PageRequest.read(request, bindings, cache);
        String text = request.text(KEY_CONDITION);
        if (text == null) {
            throw ServiceErrors.validation(
                    "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.");
        }
        Condition condition =
                bindings.bind(ExpressionKind.KEY_CONDITION, cache.condition(ExpressionKind.KEY_CONDITION, text));
        new ConditionCheck(ExpressionKind.KEY_CONDITION).check(condition);
        bindings.requireAllUsed();
        boolean forward = !request.has("ScanIndexForward") || request.flag("ScanIndexForward");
        return store.locked(() -> {
            Source source = new Source(store.table(page.tableName()), page);
            KeyCondition keys = KeyCondition.of(condition, source.keys());
            requireNoKeyInFilter(page.filter(), source.keys());
            return query(source, page, keys, forward, capacity);
        });
    }

    private static void requireNoKeyInFilter(@Nullable Condition filter, KeySchema keys) {
        if (filter != null) {
            for (String name : FilterAttributes.of(filter)) {
                if (keys.contains(name)) {
                    throw ServiceErrors.validation("Filter Expression can only contain non-primary key attributes: "
                            + "Primary key attribute: " + name);
                }
            }
        }
    }

    private static ObjectNode query(
            Source source, PageRequest request, KeyCondition keys, boolean forward, CapacityReport capacity) {
        NavigableMap<StoredKey, MapValue> range =
                source.entries().subMap(keys.lowerBound(), true, keys.upperBound(), true);
        if (!forward) {
            range = range.descendingMap();
        }
        MapValue startKey = request.startKey();
        if (startKey != null) {
            StoredKey start = source.startKey(startKey);
            if (start.compareTo(keys.lowerBound()) < 0
                    || start.compareTo(keys.upperBound()) > 0
                    || !keys.accepts(startKey)) {
                throw ServiceErrors.validation(
                        "The provided starting key is outside query boundaries based on provided conditions");
            }
            range = range.tailMap(start, false);
        }
        Page page =
                fill(new Page(request), range, keys::accepts, item -> forward && keys.endsBefore(item, source.keys()));
        return answer(source, page, capacity);
    }

    private static Page fill(
            Page page,
            NavigableMap<StoredKey, MapValue> range,
            Predicate<MapValue> accepts,
            Predicate<MapValue> endsBefore) {
        for (MapValue item : range.values()) {
            if (page.isFull() || endsBefore.test(item)) {
                break;
            }
            if (accepts.test(item) && !page.take(item)) {
                break;
            }
        }
        return page;
    }

    private static ObjectNode answer(Source source, Page page, CapacityReport capacity) {
        capacity.add(source.table.name(), source.units(page.units()));
        ObjectNode response = page.document(source.keyNames());
        capacity.writeSingleTo(response);
        return response;
    }

    ObjectNode scan(Request request) {
        CapacityReport capacity = new CapacityReport(request, CapacityReport.Direction.READ, meter);
        Bindings bindings = Bindings.of(request, List.of(ExpressionKind.FILTER, ExpressionKind.PROJECTION));
        PageRequest page = PageRequest.read(request, bindings, cache);
        bindings.requireAllUsed();
        Segment segment = Segment.read(request);
        return store.locked(() -> {
            Source source = new Source(store.table(page.tableName()), page);
            return scan(source, page, segment, capacity);
        });
    }

    private static ObjectNode scan(Source source, PageRequest request, Segment segment, CapacityReport capacity) {
        NavigableMap<StoredKey, MapValue> range = source.entries();
        if (segment.number() > 0) {
            range = range.tailMap(StoredKey.beforeHash(segment.firstHash()), true);
        }
        if (segment.number() < segment.total() - 1) {
            range = range.headMap(StoredKey.beforeHash(segment.next().firstHash()), false);
        }
        MapValue startKey = request.startKey();
        if (startKey != null) {
            StoredKey start = source.startKey(startKey);
            if (!segment.contains(start)) {
                throw ServiceErrors.validation(STARTING_KEY_INVALID + ": Invalid ExclusiveStartKey. Please use "
                        + "ExclusiveStartKey with correct Segment. TotalSegments: " + segment.total() + " Segment: "
                        + segment.number());
            }
            range = range.tailMap(start, false);
        }
        return answer(source, fill(new Page(request), range, item -> true, item -> false), capacity);
    }

    /** A part of a parallel scan: a range of partition hashes. A scan that is not parallel is segment 0 of 1. */
    private record Segment(int number, int total) {
        static Segment read(Request request) {
            Integer number = request.integer("Segment");
            Integer total = request.positive("TotalSegments");
            if (number == null && total == null) {
                return new Segment(0, 1);
            }
            if (total == null) {
                throw ServiceErrors.validation("The TotalSegments parameter is required but was not present in the "
                        + "request when Segment parameter is present");
            }
            if (number == null) {
                throw ServiceErrors.validation("The Segment parameter is required but was not present in the request "
                        + "when parameter TotalSegments is present");
            }
            if (total > TOTAL_SEGMENTS_MAX) {
                throw ServiceErrors.constraint(
                        "'" + total + "'",
                        "totalSegments",
                        "Member must have value less than or equal to " + TOTAL_SEGMENTS_MAX);
            }
            if (number < 0) {
                throw ServiceErrors.constraint(
                        "'" + number + "'", "segment", "Member must have value greater than or equal to 0");
            }
            if (number >= total) {
                throw ServiceErrors.validation("The Segment parameter is zero-based and must be less than parameter "
                        + "TotalSegments: Segment: " + number + " is not less than TotalSegments: " + total);
            }
            return new Segment(number, total);
        }

        Segment next() {
            return new Segment(number + 1, total);
        }

        /** The first hash of this segment, as an unsigned number. */
        int firstHash() {
            return (int) (HASHES * number / total);
        }

        boolean contains(StoredKey key) {
            long hash = Integer.toUnsignedLong(key.partitionHash());
            boolean behindStart = hash >= HASHES * number / total;
            return behindStart && hash < HASHES * (number + 1) / total;
        }
    }
}
