package io.millrace.cli;

import io.millrace.functions.visits.Click;
import io.millrace.functions.visits.VisitRow;
import io.millrace.serde.Json;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The visits by a plain loop over each user's clicks in the order of their times, on purpose without the pipeline's own code.
 * No click may come later than the pipeline's watermark allows: such a one is dropped, and counted.
 */
final class VisitsExpectation implements Example.Expectation {
    private static final Duration PAUSE_MAX = Duration.ofMinutes(30);

    private final Json<Click> json = Json.of(Click.class);
    private final Map<String, List<Click>> clicksByUser = new TreeMap<>();

    @Override
    public void add(byte[] data) {
        Click click;
        try {
            click = json.deserialize(data);
        } catch (IOException undecodable) {
            return;
        }
        clicksByUser.computeIfAbsent(click.user(), absent -> new ArrayList<>()).add(click);
    }

    @Override
    public VisitsBoard board() {
        List<VisitRow> visits = new ArrayList<>();
        for (List<Click> clicks : clicksByUser.values()) {
            List<Click> inOrder = clicks.stream()
                    .sorted(Comparator.comparing(Click::time).thenComparing(Click::page))
                    .toList();
            int from = 0;
            for (int i = 1; i <= inOrder.size(); i++) {
                if (i == inOrder.size() || isPause(inOrder.get(i - 1), inOrder.get(i))) {
                    visits.add(visit(inOrder.subList(from, i)));
                    from = i;
                }
            }
        }
        return new VisitsBoard(visits);
    }

    private static boolean isPause(Click click, Click next) {
        return Duration.between(click.time(), next.time()).compareTo(PAUSE_MAX) > 0;
    }

    private static VisitRow visit(List<Click> clicks) {
        Click first = clicks.get(0);
        Click last = clicks.get(clicks.size() - 1);
        return new VisitRow(
                first.user(),
                first.time().toString(),
                last.time().toString(),
                clicks.size(),
                first.page(),
                last.page());
    }

    @Override
    public List<String> differences(Example.Board board, long watermark) {
        Map<String, VisitRow> expected = byKey(board().rows());
        expected.values().removeIf(visit -> lastMilli(visit) > watermark);
        Map<String, VisitRow> actual = byKey(((VisitsBoard) board).rows());
        List<String> differences = new ArrayList<>();
        expected.forEach((key, visit) -> {
            VisitRow row = actual.remove(key);
            if (row == null) {
                differences.add(key + ": no row, expected " + visit);
            } else if (!row.equals(visit)) {
                differences.add(key + ": " + row + ", expected " + visit);
            }
        });
        actual.forEach((key, row) -> differences.add(key + ": " + row + ", expected no row"));
        return differences;
    }

    /** The last millisecond at which a click would still belong to a visit, up to which it is not over. */
    private static long lastMilli(VisitRow visit) {
        return Instant.parse(visit.end()).plus(PAUSE_MAX).toEpochMilli() - 1;
    }

    private static Map<String, VisitRow> byKey(List<VisitRow> rows) {
        Map<String, VisitRow> byKey = new TreeMap<>();
        rows.forEach(row -> byKey.put(row.user() + " " + row.start(), row));
        return byKey;
    }
}
