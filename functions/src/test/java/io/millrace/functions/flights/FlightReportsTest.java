package io.millrace.functions.flights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlightReportsTest {
    private static final String GOOD = "2001-01-01T01:43Z,2001-01-01T01:39Z,LAS,PHX,4,256";

    private final List<String> problems = new ArrayList<>();

    @Test
    void theBundledFileHasItsReports() throws IOException {
        int reports = 0;
        FlightReport first = null;
        try (FlightReports bundled = FlightReports.bundled()) {
            for (FlightReport report = bundled.next(); report != null; report = bundled.next()) {
                first = first == null ? report : first;
                reports++;
            }
            assertThat(bundled.brokenLines()).isZero();
        }
        assertThat(reports).isEqualTo(FlightReports.BUNDLED_REPORTS);
        assertThat(first)
                .isEqualTo(new FlightReport(
                        Instant.parse("2001-01-01T01:24:00Z"),
                        Instant.parse("2001-01-01T01:24:00Z"),
                        "LAS",
                        "OAK",
                        -5,
                        407));
    }

    @Test
    void gzippedAndPlainFilesReadAlike(@TempDir Path folder) throws IOException {
        String text = FlightReports.HEADER + "\n" + GOOD + "\n";
        Path plain = Files.writeString(folder.resolve("plain.csv"), text);
        Path zipped = Files.write(folder.resolve("zipped"), gzip(text));
        assertThat(read(Files.readAllBytes(plain))).isEqualTo(read(Files.readAllBytes(zipped)));
        try (FlightReports reports = FlightReports.open(zipped, problems::add)) {
            assertThat(reports.next()).isNotNull();
            assertThat(reports.next()).isNull();
        }
    }

    @Test
    void windowsLineEndsAByteOrderMarkAndAMissingLastLineEndAreFine() throws IOException {
        assertThat(readText("\uFEFF" + FlightReports.HEADER + "\r\n" + GOOD + "\r\n" + GOOD))
                .hasSize(2);
        assertThat(problems).isEmpty();
    }

    @Test
    void brokenLinesAreNamedAndPassedOver() throws IOException {
        List<FlightReport> reports = readText(String.join(
                "\n",
                FlightReports.HEADER,
                GOOD,
                "a,b",
                "",
                "yesterday,2001-01-01T01:39Z,LAS,PHX,4,256",
                "2001-01-01T01:43Z,2001-01-01T01:39Z,las,PHX,4,256",
                "2001-01-01T01:43Z,2001-01-01T01:39Z,LAS,PHX,late,256",
                "2001-01-01T01:43Z,2001-01-01T01:39Z,LAS,PHX,99999999999,256",
                "2001-01-01T01:43Z,2001-01-01T01:39Z,LAS,PHX,4,-1",
                "2001-01-01T01:43Z,2001-01-01T01:39Z,\"LAS\",PHX,4,256",
                "x".repeat(5_000),
                GOOD + "\u001b[31m,",
                GOOD));
        assertThat(reports).hasSize(2);
        assertThat(problems)
                .containsExactly(
                        "line 3: 2 columns in 'a,b', 6 columns are expected",
                        "line 4: empty, 6 columns are expected",
                        "line 5: published is 'yesterday', a time such as 2001-01-31T23:59Z is expected",
                        "line 6: origin is 'las', an airport's three capital letters are expected",
                        "line 7: delay_minutes is 'late', a whole number is expected",
                        "line 8: delay_minutes is '99999999999', a whole number is expected",
                        "line 9: distance_miles is '-1', a whole number from 0 on is expected",
                        "line 10: a quote in '2001-01-01T01:43Z,2001-01-01T01:39Z,\"LAS\",PHX,4,256',"
                                + " columns without quotes are expected",
                        "line 11: more than 1000 characters, at most so many are expected",
                        "line 12: 7 columns in '2001-01-01T01:43Z,2001-01-01T01:39Z,LAS,PHX,4,256?[31m,',"
                                + " 6 columns are expected");
    }

    @Test
    void aFileOfSomethingElseIsRefused() {
        assertThatThrownBy(() -> readText("a,b,c\n1,2,3\n"))
                .isInstanceOf(IOException.class)
                .hasMessage("test is no file of flight reports: line 1 is 'a,b,c', expected is '" + FlightReports.HEADER
                        + "'");
        assertThatThrownBy(() -> readText("")).isInstanceOf(IOException.class).hasMessageContaining("line 1 is ''");
    }

    @Test
    void aDamagedGzipFileIsRefused() throws IOException {
        byte[] whole = gzip(FlightReports.HEADER + "\n" + (GOOD + "\n").repeat(100));
        assertThatThrownBy(() -> read(Arrays.copyOf(whole, whole.length - 20)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("test cannot be read behind line ");
        assertThatThrownBy(() -> read(Arrays.copyOf(whole, 5)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("test begins like a gzip file but cannot be unzipped");
    }

    private List<FlightReport> readText(String text) throws IOException {
        return read(text.getBytes(StandardCharsets.UTF_8));
    }

    private List<FlightReport> read(byte[] bytes) throws IOException {
        List<FlightReport> all = new ArrayList<>();
        try (FlightReports reports = FlightReports.open(new ByteArrayInputStream(bytes), "test", problems::add)) {
            for (FlightReport report = reports.next(); report != null; report = reports.next()) {
                all.add(report);
            }
            assertThat(reports.brokenLines()).isEqualTo(problems.size());
        }
        return all;
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(bytes)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }
}
