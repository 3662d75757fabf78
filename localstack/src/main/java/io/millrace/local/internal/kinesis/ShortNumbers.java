package io.millrace.local.internal.kinesis;

/**
 * Small numbers, as some emulators give them: the first record has one to three digits and each next one is 1 to 9 higher,
 * so that the number of digits soon grows within the shard. Every shard counts on its own: the numbers of two shards, of a
 * parent and its child too, overlap and say nothing about each other.
 *
 * <p>A place has the number {@code base + 5 * place + shift}, with a shift of 0 to 4 that is drawn for the place. So the
 * numbers increase by 1 to 9, and a number leads back to its place without a list of them.
 *
 * @param base the number of place 0 without its shift
 * @param salt what the shifts are drawn from
 */
record ShortNumbers(long base, long salt) implements ShardNumbers {
    private static final int STRIDE = 5;
    private static final int SHIFTS = 5;
    private static final int DIGITS_MAX = 3;
    /** How far below the first number with one digit more a shard may begin. */
    private static final int LEAD_MAX = 40;
    /** No number can have more digits: a longer one is of another make, and would not fit into a {@code long}. */
    private static final int NUMBER_LENGTH_MAX = 18;

    /** Numbers that are drawn from a seed, the stream's name and the shard's index. */
    static Scheme scheme(long seed) {
        return (stream, shardIndex, createdSeconds) -> of(mix(mix(seed + stream.hashCode()) + shardIndex));
    }

    private static ShortNumbers of(long salt) {
        int power = 10;
        for (long digits = draw(salt, DIGITS_MAX); digits > 0; digits--) {
            power *= 10;
        }
        // The first record then lies in power - 5 - lead to power - 1 - lead.
        int baseMax = power - STRIDE - SHIFTS;
        long lead = draw(mix(salt), Math.min(LEAD_MAX, baseMax) + 1);
        return new ShortNumbers(baseMax - lead, salt);
    }

    @Override
    public String numberOf(long place, long arrivalMillis) {
        return Long.toString(number(place));
    }

    @Override
    public String endNumber(long endPlace, long closedMillis) {
        return Long.toString(number(endPlace));
    }

    @Override
    public long placeOf(String number) {
        if (number.length() > NUMBER_LENGTH_MAX) {
            return NO_PLACE;
        }
        long value = Long.parseLong(number);
        long place = Math.floorDiv(value - base, STRIDE);
        return place >= 0 && number(place) == value ? place : NO_PLACE;
    }

    @Override
    public int shardIndexIn(String number) {
        return NO_SHARD;
    }

    private long number(long place) {
        return base + STRIDE * place + draw(salt + place, SHIFTS);
    }

    /** A number from 0 to below the bound, the same for the same value in every process. */
    private static long draw(long value, int bound) {
        return Math.floorMod(mix(value), bound);
    }

    /** Spreads a value over all bits. */
    private static long mix(long value) {
        long mixed = value;
        mixed ^= mixed >>> 33;
        mixed *= 0xFF51AFD7ED558CCDL;
        mixed ^= mixed >>> 33;
        mixed *= 0xC4CEB9FE1A85EC53L;
        return mixed ^ (mixed >>> 33);
    }
}
