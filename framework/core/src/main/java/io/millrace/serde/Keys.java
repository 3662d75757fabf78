package io.millrace.serde;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/** The key codecs that come with Millrace. */
public final class Keys {
    /** Text as it is. */
    public static final KeyCodec<String> STRING = new SimpleCodec<>("string", Function.identity(), Function.identity());

    /** Whole numbers in decimal. */
    public static final KeyCodec<Long> LONG = new SimpleCodec<>("long", key -> Long.toString(key), Long::valueOf);

    /** UUIDs in their canonical form. */
    public static final KeyCodec<UUID> UUID =
            new SimpleCodec<>("uuid", java.util.UUID::toString, java.util.UUID::fromString);

    private Keys() {}

    /** Keys of two parts, each part's text behind its length: ("a#b", "c") is not ("a", "b#c"). */
    public static <A, B> KeyCodec<Key2<A, B>> composite(KeyCodec<A> first, KeyCodec<B> second) {
        return new SimpleCodec<>(
                "composite(" + first.description() + "," + second.description() + ")",
                key -> join(first.encode(key.first()), second.encode(key.second())),
                text -> {
                    List<String> parts = split(text, 2);
                    return new Key2<>(first.decode(parts.get(0)), second.decode(parts.get(1)));
                });
    }

    /** Keys of three parts, each part's text behind its length. */
    public static <A, B, C> KeyCodec<Key3<A, B, C>> composite(
            KeyCodec<A> first, KeyCodec<B> second, KeyCodec<C> third) {
        return new SimpleCodec<>(
                "composite(" + first.description() + "," + second.description() + "," + third.description() + ")",
                key -> join(first.encode(key.first()), second.encode(key.second()), third.encode(key.third())),
                text -> {
                    List<String> parts = split(text, 3);
                    return new Key3<>(
                            first.decode(parts.get(0)), second.decode(parts.get(1)), third.decode(parts.get(2)));
                });
    }

    /**
     * The codec of a class.
     *
     * @throws IllegalArgumentException unless it is String, Long or UUID
     */
    @SuppressWarnings("unchecked")
    public static <K> KeyCodec<K> of(Class<K> type) {
        KeyCodec<?> codec;
        if (type == String.class) {
            codec = STRING;
        } else if (type == Long.class) {
            codec = LONG;
        } else if (type == java.util.UUID.class) {
            codec = UUID;
        } else {
            throw new IllegalArgumentException("There is no key codec for " + type.getName()
                    + ", only for String, Long and UUID. Pass a KeyCodec, such as Keys.composite(...).");
        }
        return (KeyCodec<K>) codec;
    }

    private static String join(String... parts) {
        StringBuilder text = new StringBuilder();
        for (String part : parts) {
            text.append(part.length()).append(':').append(part);
        }
        return text.toString();
    }

    private static List<String> split(String text, int count) {
        List<String> parts = new ArrayList<>(count);
        int at = 0;
        for (int i = 0; i < count; i++) {
            int colon = text.indexOf(':', at);
            int length = colon < 0 ? -1 : Integer.parseInt(text.substring(at, colon));
            int end = colon + 1 + length;
            if (length < 0 || end < 0 || end > text.length()) {
                throw new IllegalArgumentException("'" + text + "' is not a composite key of " + count + " parts.");
            }
            parts.add(text.substring(colon + 1, end));
            at = end;
        }
        if (at != text.length()) {
            throw new IllegalArgumentException("'" + text + "' has text behind its " + count + " key parts.");
        }
        return parts;
    }

    private record SimpleCodec<K>(String description, Function<K, String> encoder, Function<String, K> decoder)
            implements KeyCodec<K> {
        @Override
        public String encode(K key) {
            return encoder.apply(key);
        }

        @Override
        public K decode(String text) {
            return decoder.apply(text);
        }
    }
}
