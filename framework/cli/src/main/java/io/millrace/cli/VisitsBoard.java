package io.millrace.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.functions.visits.VisitRow;
import io.millrace.functions.visits.Visits;
import io.millrace.serde.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The visits, sorted by user and start. */
record VisitsBoard(List<VisitRow> rows) implements Example.Board {
    static final String HEADER = "user,start,end,clicks,entry_page,exit_page";

    private static final int VISITS_SHOWN = 3;

    VisitsBoard {
        rows = rows.stream()
                .sorted(Comparator.comparing(VisitRow::user).thenComparing(VisitsBoard::start))
                .toList();
    }

    static VisitsBoard of(ResultTables tables) {
        ResultTable table = tables.table(Visits.TABLE);
        List<VisitRow> rows = new ArrayList<>();
        for (ObjectNode row : table.rows()) {
            try {
                rows.add(Json.mapper().treeToValue(row, VisitRow.class));
            } catch (JsonProcessingException e) {
                throw CommandFailure.failed(
                        "A row of the table " + table.name() + " is " + row + ", which is none of this pipeline: "
                                + e.getOriginalMessage() + ". Was the table written by something else?",
                        e);
            }
        }
        return new VisitsBoard(rows);
    }

    private static Instant start(VisitRow row) {
        return Instant.parse(row.start());
    }

    private static Duration duration(VisitRow row) {
        return Duration.between(start(row), Instant.parse(row.end()));
    }

    @Override
    public int size() {
        return rows.size();
    }

    @Override
    public String csv() {
        return rows.stream()
                .map(row -> String.join(
                                ",",
                                row.user(),
                                row.start(),
                                row.end(),
                                Long.toString(row.clicks()),
                                row.entryPage(),
                                row.exitPage())
                        + "\n")
                .collect(Collectors.joining("", HEADER + "\n", ""));
    }

    @Override
    public List<Fact> facts() {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact(
                "visits",
                format(
                        "%,d rows, %,d clicks, %,d users",
                        rows.size(),
                        rows.stream().mapToLong(VisitRow::clicks).sum(),
                        rows.stream().map(VisitRow::user).distinct().count())));
        rows.stream()
                .sorted(Comparator.comparing(VisitsBoard::duration)
                        .reversed()
                        .thenComparing(VisitRow::user)
                        .thenComparing(VisitRow::start))
                .limit(VISITS_SHOWN)
                .map(visit -> new Fact(
                        facts.size() == 1 ? "longest" : "",
                        format(
                                "%s  %,4d minutes, %,3d clicks from %s to %s",
                                visit.user(),
                                duration(visit).toMinutes(),
                                visit.clicks(),
                                visit.entryPage(),
                                visit.exitPage())))
                .forEachOrdered(facts::add);
        return List.copyOf(facts);
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
