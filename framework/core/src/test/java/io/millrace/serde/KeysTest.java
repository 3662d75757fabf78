package io.millrace.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeysTest {
    private static final KeyCodec<Key2<String, String>> PAIRS = Keys.composite(Keys.STRING, Keys.STRING);
    private static final List<String> PIECES = List.of("", ":", "1", "1:", "2:", "#", "a", "0", "é", "\ud83d\ude00");
    private static final int PAIRS_TRIED = 20_000;

    private static String randomText(Random random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(5); i > 0; i--) {
            text.append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return text.toString();
    }

    @Test
    void longsRoundTrip() {
        Random random = new Random(1);
        for (long key : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, random.nextLong(), random.nextLong()}) {
            assertThat(Keys.LONG.decode(Keys.LONG.encode(key))).isEqualTo(key);
        }
    }

    @Test
    void uuidsRoundTrip() {
        Random random = new Random(2);
        UUID key = new UUID(random.nextLong(), random.nextLong());

        assertThat(Keys.UUID.encode(key)).isEqualTo(key.toString());
        assertThat(Keys.UUID.decode(Keys.UUID.encode(key))).isEqualTo(key);
    }

    @Test
    void fieldCase32CompositeKeysThatJoinToTheSameTextAreDifferent() {
        assertThat(PAIRS.encode(new Key2<>("a#b", "c"))).isNotEqualTo(PAIRS.encode(new Key2<>("a", "b#c")));
        assertThat(PAIRS.encode(new Key2<>("1:a", "b"))).isNotEqualTo(PAIRS.encode(new Key2<>("1", ":ab")));
    }

    @Test
    void compositeOfTwoIsInjectiveBothWays() {
        Random random = new Random(3);
        Map<String, Key2<String, String>> seen = new HashMap<>();
        for (int i = 0; i < PAIRS_TRIED; i++) {
            Key2<String, String> key = new Key2<>(randomText(random), randomText(random));
            String text = PAIRS.encode(key);
            assertThat(PAIRS.decode(text)).isEqualTo(key);
            Key2<String, String> before = seen.putIfAbsent(text, key);
            assertThat(before == null || before.equals(key)).as(text).isTrue();
        }
    }

    @Test
    void compositeOfThreeIsInjectiveBothWaysAlsoWhenNested() {
        KeyCodec<Key3<Key2<String, String>, Long, String>> codec = Keys.composite(PAIRS, Keys.LONG, Keys.STRING);
        Random random = new Random(4);
        Map<String, Object> seen = new HashMap<>();
        for (int i = 0; i < PAIRS_TRIED; i++) {
            var key = new Key3<>(
                    new Key2<>(randomText(random), randomText(random)),
                    (long) random.nextInt(20) - 10,
                    randomText(random));
            String text = codec.encode(key);
            assertThat(codec.decode(text)).isEqualTo(key);
            Object before = seen.putIfAbsent(text, key);
            assertThat(before == null || before.equals(key)).as(text).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "a",
                "1",
                "1:",
                "1:a",
                "1:a1:",
                "1:a1:bc",
                "1:a1:b1:c",
                "x:a1:b",
                "-1:a1:b",
                "9:a1:b",
                "1:a-1:b",
                "2147483647:a1:b",
                "2147483648:a1:b",
                ":a:b"
            })
    void malformedCompositeIsRefused(String text) {
        assertThatThrownBy(() -> PAIRS.decode(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void malformedSimpleKeysAreRefused() {
        assertThatThrownBy(() -> Keys.LONG.decode("7x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Keys.LONG.decode("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Keys.LONG.decode("9223372036854775808")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Keys.UUID.decode("no-uuid")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void codecOfAClassIsKnownForThreeClasses() {
        assertThat(Keys.of(String.class)).isSameAs(Keys.STRING);
        assertThat(Keys.of(Long.class)).isSameAs(Keys.LONG);
        assertThat(Keys.of(UUID.class)).isSameAs(Keys.UUID);
        assertThatThrownBy(() -> Keys.of(Integer.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("There is no key codec for java.lang.Integer, only for String, Long and UUID."
                        + " Pass a KeyCodec, such as Keys.composite(...).");
    }

    @Test
    void descriptionsNameTheParts() {
        assertThat(Keys.composite(Keys.STRING, Keys.LONG, Keys.UUID).description())
                .isEqualTo("composite(string,long,uuid)");
    }
}
