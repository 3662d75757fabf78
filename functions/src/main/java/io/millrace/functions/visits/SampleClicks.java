package io.millrace.functions.visits;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

/**
 * Clicks to try the pipeline with, the same ones each time: {@value #VISITS} walks through a site by {@value #USERS} users
 * within two days, in the order in which the site's collectors send them, up to 5 minutes late.
 */
public final class SampleClicks {
    /** How many walks there are; some of a user follow each other so closely that they are one visit. */
    public static final int VISITS = 1_500;

    /** How many users there are. */
    public static final int USERS = 200;

    private static final long SEED = 20_251_102;
    private static final Instant FIRST = Instant.parse("2025-11-02T00:00:00Z");
    private static final int DURATION_SECONDS = (int) Duration.ofDays(2).toSeconds();
    private static final int CLICKS_MAX = 12;
    private static final int PAUSE_SECONDS_MAX = (int) Visits.PAUSE_MAX.toSeconds();
    private static final int DELAY_SECONDS_MAX = (int) Visits.OUT_OF_ORDERNESS.toSeconds();
    private static final List<String> PAGES =
            List.of("/", "/search", "/products/1", "/products/2", "/products/3", "/basket", "/checkout", "/help");

    private SampleClicks() {}

    private record Sent(Click click, Instant at) {}

    /** All clicks, in the order of the stream. */
    public static List<Click> all() {
        Random random = new Random(SEED);
        List<Sent> sent = new ArrayList<>();
        for (int visit = 0; visit < VISITS; visit++) {
            String user = String.format("user-%03d", random.nextInt(USERS));
            Instant time = FIRST.plusSeconds(random.nextInt(DURATION_SECONDS));
            int clicks = 1 + random.nextInt(CLICKS_MAX);
            for (int i = 0; i < clicks; i++) {
                Click click = new Click(user, PAGES.get(random.nextInt(PAGES.size())), time);
                sent.add(new Sent(click, time.plusSeconds(random.nextInt(DELAY_SECONDS_MAX))));
                // The product of two draws: short pauses are much more frequent.
                time = time.plusSeconds((long) (random.nextDouble() * random.nextDouble() * PAUSE_SECONDS_MAX));
            }
        }
        return sent.stream()
                .sorted(Comparator.comparing(Sent::at))
                .map(Sent::click)
                .toList();
    }
}
