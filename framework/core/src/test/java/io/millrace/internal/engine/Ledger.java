package io.millrace.internal.engine;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.internal.item.Row;
import io.millrace.serde.Json;
import io.millrace.serde.Serde;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The pipeline of the engine's tests: accounts whose function does what each event tells it. An event for several keys
 * ("a,b") becomes one element a key.
 */
final class Ledger implements PipelineDefinition {
    static final String UID = "ledger";

    /** What an event makes the pipeline do. */
    enum Action {
        ADD,
        /** Dropped by the filter. */
        SKIP,
        /** Changes all state, puts out a row, then throws. */
        CHANGE_THEN_THROW,
        /** Throws an exception whose message throws. */
        THROW_WITHOUT_MESSAGE,
        RECURSE,
        RUN_OUT_OF_MEMORY,
        BE_INTERRUPTED,
        PUT_OUT_NULL,
        /** Adds, and puts out one row for each unit of the amount. */
        ROWS,
        /** Puts out a row whose part is the amount. */
        ROW_OF_PART,
        /** Puts out a row with a text of this many characters. */
        LARGE_ROW,
        /** Puts out what a step behind the stage throws at, and swallows what it can. */
        SWALLOW_OUTPUT_FAILURE,
        /** Keeps the collector and uses the one of before. */
        KEEP_COLLECTOR,
        /** Keeps the collector and throws. */
        KEEP_COLLECTOR_THEN_THROW,
        /** Sets the text state to this many characters. */
        LARGE_TEXT,
        /** Sets the data state to this many bytes, which cannot be compressed. */
        LARGE_DATA,
        /** Sets the text state to one that cannot be written. */
        UNWRITABLE,
        /** Sets the text state to one that cannot be written at the first try. */
        UNWRITABLE_ONCE,
        /** Sets the text state to one that takes more memory than there is when it is written. */
        OUT_OF_MEMORY_WHEN_WRITTEN,
        CLEAR,
        /** Throws in the key selector. */
        KEY_THROWS,
        KEY_INTERRUPTED,
        KEY_NULL,
        KEY_HALF_A_PAIR,
        /** Gives another key whenever it is routed. */
        KEY_UNSTABLE
    }

    record Event(String key, Action action, long amount) {}

    record Row(
            @PartitionKey String account,
            @SortKey long part,
            long total,
            @Nullable String text) {}

    /** State that is changed in place. */
    static final class Account {
        public long total;
        public List<Long> amounts = new ArrayList<>();
    }

    /** Text that refuses to be written when it is "unwritable", and cannot be when it is "endless". */
    static final class TextSerde implements Serde<String> {
        private boolean refused;

        @Override
        public byte[] serialize(String value) {
            if (value.equals("unwritable") || (value.equals("unwritable once") && !refused)) {
                refused = true;
                throw new IllegalStateException("this text cannot be written");
            }
            if (value.equals("endless")) {
                throw new OutOfMemoryError("while the text was written");
            }
            return value.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String deserialize(byte[] data) {
            return new String(data, StandardCharsets.UTF_8);
        }

        @Override
        public boolean isText() {
            return true;
        }
    }

    /** Bytes as they are. */
    static final class BytesSerde implements Serde<byte[]> {
        @Override
        public byte[] serialize(byte[] value) {
            return value;
        }

        @Override
        public byte[] deserialize(byte[] data) {
            return data.clone();
        }
    }

    /** Bytes that cannot be compressed, the same each time. */
    static byte[] randomBytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    /** The message of this exception is an exception. */
    private static final class WithoutMessage extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new UnsupportedOperationException("no message");
        }
    }

    final LedgerFunction function = new LedgerFunction();
    int timesRouted;
    int timesProcessed;

    static Event add(String key, long amount) {
        return new Event(key, Action.ADD, amount);
    }

    static Event event(String key, Action action) {
        return new Event(key, action, 1);
    }

    static byte[] payload(Event event) {
        return Json.of(Event.class).serialize(event);
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis("events", Json.of(Event.class))
                .filter(event -> event.action() != Action.SKIP)
                .flatMap(this::divide)
                .keyBy(Ledger::keyOf)
                .process(function)
                .uid(UID)
                .filter(row -> row.part() >= 0)
                .map(Ledger::checkPart)
                .sinkTo(DynamoDbSink.rows("ledger-rows", Row.class));
    }

    private void divide(Event event, Collector<Event> out) {
        timesRouted++;
        if (event.action() == Action.KEY_UNSTABLE) {
            out.collect(new Event(event.key() + timesRouted, event.action(), event.amount()));
            return;
        }
        int from = 0;
        for (int comma = event.key().indexOf(',');
                comma >= 0;
                comma = event.key().indexOf(',', from)) {
            out.collect(new Event(event.key().substring(from, comma), event.action(), event.amount()));
            from = comma + 1;
        }
        out.collect(new Event(event.key().substring(from), event.action(), event.amount()));
    }

    @SuppressWarnings("NullAway") // a null key is what one of the tests is about
    private static String keyOf(Event event) throws Exception {
        return switch (event.action()) {
            case KEY_THROWS -> throw new java.io.IOException("no key");
            case KEY_INTERRUPTED -> throw new InterruptedException("while the key was computed");
            case KEY_NULL -> null;
            case KEY_HALF_A_PAIR -> "a\ud800";
            default -> event.key();
        };
    }

    private static Row checkPart(Row row) {
        if (row.part() == 999 || row.part() == 1_000) {
            throw new IllegalStateException("part " + row.part() + " is not allowed");
        }
        return row;
    }

    /** Does what the events tell it. */
    final class LedgerFunction extends KeyedProcessFunction<String, Event, Row> {
        @SuppressWarnings("NullAway.Init")
        private ValueState<Account> account;

        @SuppressWarnings("NullAway.Init")
        private ValueState<String> text;

        @SuppressWarnings("NullAway.Init")
        private ValueState<byte[]> data;

        @SuppressWarnings("NullAway.Init")
        private MapState<String, Long> counts;

        private @Nullable Collector<Row> kept;

        @Override
        public void open(OpenContext openContext) {
            account = getRuntimeContext().getState(new ValueStateDescriptor<>("account", Account.class));
            text = getRuntimeContext().getState(new ValueStateDescriptor<>("text", new TextSerde()));
            data = getRuntimeContext().getState(new ValueStateDescriptor<>("data", new BytesSerde()));
            counts = getRuntimeContext().getMapState(new MapStateDescriptor<>("counts", String.class, Long.class));
        }

        @Override
        public void processElement(Event event, Context ctx, Collector<Row> out) throws Exception {
            timesProcessed++;
            String key = ctx.getCurrentKey();
            switch (event.action()) {
                case CHANGE_THEN_THROW -> {
                    change(event);
                    out.collect(new Row(key, 0, -1, "never"));
                    throw new IllegalStateException("told to throw");
                }
                case THROW_WITHOUT_MESSAGE -> throw new WithoutMessage();
                case RECURSE -> recurse(1);
                case RUN_OUT_OF_MEMORY -> throw new OutOfMemoryError("told to");
                case BE_INTERRUPTED -> throw new InterruptedException("told to");
                case PUT_OUT_NULL -> putOutNull(out);
                case ROWS -> {
                    Account changed = change(event);
                    for (int i = 0; i < event.amount(); i++) {
                        out.collect(new Row(key + changed.total, i, changed.total, null));
                    }
                }
                case LARGE_ROW -> out.collect(new Row(key, change(event).total, 0, "x".repeat((int) event.amount())));
                case ROW_OF_PART -> out.collect(new Row(key, event.amount(), 0, null));
                case SWALLOW_OUTPUT_FAILURE -> {
                    swallow(out, new Row(key, 999, 0, null));
                    swallow(out, new Row(key, 1_000, 0, null));
                }
                case KEEP_COLLECTOR -> {
                    Collector<Row> before = kept;
                    kept = out;
                    (before == null ? out : before).collect(new Row(key, 0, change(event).total, "kept"));
                }
                case KEEP_COLLECTOR_THEN_THROW -> {
                    kept = out;
                    throw new IllegalStateException("told to throw");
                }
                case LARGE_TEXT -> {
                    change(event);
                    text.update("t".repeat((int) event.amount()));
                }
                case LARGE_DATA -> {
                    change(event);
                    data.update(randomBytes((int) event.amount()));
                }
                case UNWRITABLE -> {
                    change(event);
                    text.update("unwritable");
                }
                case UNWRITABLE_ONCE -> {
                    change(event);
                    text.update("unwritable once");
                }
                case OUT_OF_MEMORY_WHEN_WRITTEN -> text.update("endless");
                case CLEAR -> {
                    account.clear();
                    text.clear();
                    data.clear();
                    counts.clear();
                }
                default -> out.collect(new Row(key, 0, change(event).total, null));
            }
        }

        /** Adds the amount to the object in the state, without an update. */
        private Account change(Event event) {
            Account changed = account.value();
            if (changed == null) {
                changed = new Account();
                account.update(changed);
            }
            changed.total += event.amount();
            changed.amounts.add(event.amount());
            Long count = counts.get(event.action().name());
            counts.put(event.action().name(), count == null ? 1 : count + 1);
            return changed;
        }

        @SuppressWarnings("InfiniteRecursion") // a stack overflow is what the test is about
        private long recurse(long depth) {
            return recurse(depth + 1) + 1;
        }

        @SuppressWarnings("NullAway") // a null output is what the test is about
        private void putOutNull(Collector<Row> out) {
            out.collect(null);
        }

        private void swallow(Collector<Row> out, Row row) {
            try {
                out.collect(row);
            } catch (RuntimeException e) {
                out.collect(new Row(row.account(), 0, 0, "swallowed " + e));
            }
        }

        /** A handle, to be used where it must not. */
        ValueState<Account> accountHandle() {
            return account;
        }

        /** A handle, to be used where it must not. */
        MapState<String, Long> countsHandle() {
            return counts;
        }
    }
}
