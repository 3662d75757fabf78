package io.millrace.internal.engine;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.TimeDomain;
import io.millrace.time.WatermarkStrategy;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * A cell's timers and watermark as attributes of its item. {@value #TIMERS} is a map: a timer as {@code
 * event:1700000000000} or {@code processing:1700000000000}, with {@code :} and its name if it has one, to how often it was
 * tried. When the first timer of each domain is due also lies in attributes of its own, which an index orders: {@value
 * #EVENT_DUE} within {@value #EVENT_BUCKET}, {@value #PROCESSING_DUE} within {@value #PROCESSING_BUCKET}.
 */
public final class TimerItems {
    public static final String TIMERS = "timers";
    public static final String WATERMARK = "watermark";
    public static final String EVENT_BUCKET = "event_bucket";
    public static final String EVENT_DUE = "event_due";
    public static final String PROCESSING_BUCKET = "processing_bucket";
    public static final String PROCESSING_DUE = "processing_due";

    /** Over how many partitions of the index a stage's cells are spread. */
    public static final int BUCKETS = 64;

    private static final Map<TimeDomain, String> DOMAINS =
            Map.of(TimeDomain.EVENT_TIME, "event", TimeDomain.PROCESSING_TIME, "processing");

    private TimerItems() {}

    /** The attribute by which the index of a domain partitions. */
    public static String bucketAttribute(TimeDomain domain) {
        return domain == TimeDomain.EVENT_TIME ? EVENT_BUCKET : PROCESSING_BUCKET;
    }

    /** The attribute by which the index of a domain sorts. */
    public static String dueAttribute(TimeDomain domain) {
        return domain == TimeDomain.EVENT_TIME ? EVENT_DUE : PROCESSING_DUE;
    }

    /** A bucket's name in the index. */
    public static String bucketName(String stage, long generation, int bucket) {
        return String.format(Locale.ROOT, "%s#%d#%02d", stage, generation, bucket);
    }

    /** The bucket of a key: 0 to {@link #BUCKETS} - 1. */
    public static int bucketOf(String key) {
        return Math.floorMod(key.hashCode(), BUCKETS);
    }

    static void addTo(ObjectNode item, CellKey key, CellTime time) {
        if (time.watermark() != WatermarkStrategy.NO_WATERMARK) {
            item.put(WATERMARK, time.watermark());
        }
        if (time.timers().isEmpty()) {
            return;
        }
        ObjectNode timers = item.putObject(TIMERS);
        time.timers().forEach((timer, attempts) -> timers.put(text(timer), attempts.intValue()));
        String bucket = bucketName(key.stage(), key.generation(), bucketOf(key.key()));
        for (TimeDomain domain : TimeDomain.values()) {
            Long due = time.firstDue(domain);
            if (due != null) {
                item.put(bucketAttribute(domain), bucket);
                item.put(dueAttribute(domain), due.longValue());
            }
        }
    }

    static CellTime read(ObjectNode item) throws IOException {
        JsonNode watermark = item.path(WATERMARK);
        JsonNode stored = item.path(TIMERS);
        if (watermark.isMissingNode() && stored.isMissingNode()) {
            return CellTime.NONE;
        }
        TreeMap<Timer, Integer> timers = new TreeMap<>();
        for (Map.Entry<String, JsonNode> entry : stored.properties()) {
            timers.put(parse(entry.getKey()), entry.getValue().asInt());
        }
        return new CellTime(timers, watermark.asLong(WatermarkStrategy.NO_WATERMARK));
    }

    /** A timer as text, such as {@code event:1700000000000}. */
    public static String text(Timer timer) {
        String plain = DOMAINS.get(timer.domain()) + ":" + timer.time();
        return timer.name().isEmpty() ? plain : plain + ":" + timer.name();
    }

    /**
     * The timer of a text.
     *
     * @throws IOException if it is none
     */
    public static Timer parse(String text) throws IOException {
        String[] parts = text.split(":", 3);
        List<TimeDomain> domains = DOMAINS.entrySet().stream()
                .filter(entry -> entry.getValue().equals(parts[0]))
                .map(Map.Entry::getKey)
                .toList();
        if (parts.length < 2 || domains.isEmpty()) {
            throw new IOException("'" + text + "' is stored where a timer is expected");
        }
        try {
            return new Timer(domains.get(0), Long.parseLong(parts[1]), parts.length == 2 ? "" : parts[2]);
        } catch (NumberFormatException e) {
            throw new IOException("'" + text + "' is stored where a timer is expected", e);
        }
    }
}
