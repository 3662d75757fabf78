package io.millrace.cli;

import io.millrace.PipelineDefinition;
import io.millrace.functions.flights.FlightReport;
import io.millrace.functions.flights.FlightReports;
import io.millrace.functions.flights.OnTimeBoard;
import io.millrace.serde.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The flights: reports from CSV, partitioned by destination, and the on-time board by origin and day. */
final class FlightsExample implements Example {
    @Override
    public Class<OnTimeBoard> type() {
        return OnTimeBoard.class;
    }

    @Override
    public String stream() {
        return OnTimeBoard.STREAM;
    }

    @Override
    public Input open(@Nullable Path file, Consumer<String> brokenLines) throws IOException {
        return file == null
                ? new Reports(FlightReports.bundled(), OptionalLong.of(FlightReports.BUNDLED_REPORTS))
                : new Reports(FlightReports.open(file, brokenLines), OptionalLong.empty());
    }

    @Override
    public PipelineDefinition withOutOfOrderness(Duration outOfOrderness) {
        return new OnTimeBoard(outOfOrderness);
    }

    @Override
    public Expectation expectation() {
        return new FlightsExpectation();
    }

    @Override
    public Board board(ResultTables tables) {
        return new FlightsBoard(
                tables.table(OnTimeBoard.TABLE).items().stream()
                        .map(FlightsBoard::row)
                        .toList(),
                tables.table(OnTimeBoard.LATE_TABLE).items().stream()
                        .map(FlightsBoard::lateFlight)
                        .toList());
    }

    private static final class Reports implements Input {
        private final Json<FlightReport> json = Json.of(FlightReport.class);
        private final FlightReports reports;
        private final OptionalLong size;

        Reports(FlightReports reports, OptionalLong size) {
            this.reports = reports;
            this.size = size;
        }

        @Override
        public @Nullable OutgoingRecord next() throws IOException {
            FlightReport report = reports.next();
            return report == null ? null : new OutgoingRecord(report.destination(), json.serialize(report));
        }

        @Override
        public long brokenLines() {
            return reports.brokenLines();
        }

        @Override
        public OptionalLong size() {
            return size;
        }

        @Override
        public void close() throws IOException {
            reports.close();
        }
    }
}
