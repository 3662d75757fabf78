package io.millrace.functions.orders;

import java.time.Instant;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Random;

/**
 * Orders to try the pipeline with, the same ones each time: {@value #ORDERS} of {@value #ACCOUNTS} accounts, of which a
 * few are much busier than the others, a second apart. Some accounts spend more than they have. Not thread-safe.
 */
public final class SampleOrders implements Iterator<Order> {
    /** How many orders there are. */
    public static final int ORDERS = 10_000;

    /** How many accounts can have them. */
    public static final int ACCOUNTS = 400;

    private static final long SEED = 20_010_101;
    private static final Instant FIRST = Instant.parse("2026-11-02T08:00:00Z");
    private static final int DEPOSIT_SHARE_PERCENT = 30;
    private static final int DEPOSIT_CENTS_MAX = 50_000;
    private static final int PAYMENT_CENTS_MAX = 20_000;

    private final Random random = new Random(SEED);
    private int given;

    @Override
    public boolean hasNext() {
        return given < ORDERS;
    }

    @Override
    public Order next() {
        if (!hasNext()) {
            throw new NoSuchElementException("There are " + ORDERS + " orders.");
        }
        given++;
        // The product of two draws: low numbers are much more frequent.
        int account = (int) (random.nextDouble() * random.nextDouble() * ACCOUNTS);
        boolean deposit = random.nextInt(100) < DEPOSIT_SHARE_PERCENT;
        long cents = deposit ? 1 + random.nextInt(DEPOSIT_CENTS_MAX) : -1 - random.nextInt(PAYMENT_CENTS_MAX);
        return new Order(
                String.format("o-%05d", given), String.format("acc-%03d", account), FIRST.plusSeconds(given), cents);
    }
}
