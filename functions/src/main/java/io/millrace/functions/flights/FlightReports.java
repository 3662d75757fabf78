package io.millrace.functions.flights;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A reader of flight reports from CSV, gzipped or not: UTF-8, one line a report, no quotes. A broken line is told to the
 * caller, counted and passed over; a file that is none of flight reports is an {@link IOException}. Not thread-safe.
 */
public final class FlightReports implements AutoCloseable {
    /** The first line of each file. */
    public static final String HEADER = "published,scheduled,origin,destination,delay_minutes,distance_miles";

    /** How many reports come with the example. */
    public static final int BUNDLED_REPORTS = 20_000;

    /** The longest line that is read; a longer one is broken. */
    static final int LINE_CHARACTERS_MAX = 1_000;

    private static final String BUNDLED = "flights.csv.gz";
    private static final int COLUMNS = 6;
    private static final int GZIP_MAGIC = 0x1f8b;
    private static final int SHOWN_CHARACTERS_MAX = 60;
    private static final Pattern AIRPORTS = Pattern.compile("[A-Z]{3}");

    private final BufferedReader reader;
    private final String name;
    private final Consumer<String> brokenLines;
    private final StringBuilder line = new StringBuilder();
    private long lineNumber;
    private long broken;

    private FlightReports(BufferedReader reader, String name, Consumer<String> brokenLines) {
        this.reader = reader;
        this.name = name;
        this.brokenLines = brokenLines;
    }

    /**
     * Opens a file and checks its header.
     *
     * @param brokenLines is told of each broken line, in words that begin with {@code line N: }
     * @throws IOException if it cannot be read or is no file of flight reports
     */
    public static FlightReports open(Path file, Consumer<String> brokenLines) throws IOException {
        return open(Files.newInputStream(file), file.toString(), brokenLines);
    }

    /** Opens the reports that come with the example: 20,000 of January to March 2001. */
    public static FlightReports bundled() throws IOException {
        InputStream bytes = FlightReports.class.getResourceAsStream(BUNDLED);
        return open(Objects.requireNonNull(bytes, "the reports are beside this class"), BUNDLED, problem -> {
            throw new IllegalStateException(BUNDLED + ", " + problem);
        });
    }

    static FlightReports open(InputStream bytes, String name, Consumer<String> brokenLines) throws IOException {
        try {
            InputStream plain = unzipped(new BufferedInputStream(bytes), name);
            BufferedReader reader = new BufferedReader(new InputStreamReader(plain, StandardCharsets.UTF_8));
            FlightReports reports = new FlightReports(reader, name, brokenLines);
            reports.checkHeader();
            return reports;
        } catch (IOException | RuntimeException e) {
            bytes.close();
            throw e;
        }
    }

    private static InputStream unzipped(BufferedInputStream bytes, String name) throws IOException {
        bytes.mark(2);
        int magic = bytes.read() << 8 | bytes.read();
        bytes.reset();
        if (magic != GZIP_MAGIC) {
            return bytes;
        }
        try {
            return new GZIPInputStream(bytes);
        } catch (IOException e) {
            throw new IOException(name + " begins like a gzip file but cannot be unzipped: " + e.getMessage(), e);
        }
    }

    private void checkHeader() throws IOException {
        String header = readLine() ? line.toString() : "";
        if (header.startsWith("\uFEFF")) {
            header = header.substring(1);
        }
        if (!header.equals(HEADER)) {
            throw new IOException(name + " is no file of flight reports: line 1 is " + shown(header) + ", expected is '"
                    + HEADER + "'");
        }
    }

    /** Returns the next report, or null at the end; passes over broken lines. */
    public @Nullable FlightReport next() throws IOException {
        while (readLine()) {
            try {
                return parse(line);
            } catch (BrokenLineException e) {
                broken++;
                brokenLines.accept("line " + lineNumber + ": " + e.getMessage());
            }
        }
        return null;
    }

    /** How many broken lines there were so far. */
    public long brokenLines() {
        return broken;
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }

    /** Reads a line without its end; false at the end of the file. Keeps one character more than a line may have. */
    private boolean readLine() throws IOException {
        line.setLength(0);
        boolean any = false;
        try {
            for (int next = reader.read(); next >= 0; next = reader.read()) {
                any = true;
                if (next == '\n') {
                    break;
                }
                if (line.length() <= LINE_CHARACTERS_MAX) {
                    line.append((char) next);
                }
            }
        } catch (IOException e) {
            throw new IOException(name + " cannot be read behind line " + lineNumber + ": " + e.getMessage(), e);
        }
        if (any) {
            lineNumber++;
        }
        if (line.length() > 0 && line.charAt(line.length() - 1) == '\r') {
            line.setLength(line.length() - 1);
        }
        return any;
    }

    private static FlightReport parse(CharSequence line) throws BrokenLineException {
        if (line.length() > LINE_CHARACTERS_MAX) {
            throw new BrokenLineException(
                    "more than " + LINE_CHARACTERS_MAX + " characters, at most so many are expected");
        }
        String text = line.toString();
        if (text.indexOf('"') >= 0) {
            throw new BrokenLineException("a quote in " + shown(text) + ", columns without quotes are expected");
        }
        String[] columns = text.split(",", -1);
        if (columns.length != COLUMNS) {
            throw new BrokenLineException((text.isEmpty() ? "empty" : columns.length + " columns in " + shown(text))
                    + ", " + COLUMNS + " columns are expected");
        }
        return new FlightReport(
                time("published", columns[0]),
                time("scheduled", columns[1]),
                airport("origin", columns[2]),
                airport("destination", columns[3]),
                number("delay_minutes", columns[4], Integer.MIN_VALUE),
                number("distance_miles", columns[5], 0));
    }

    private static Instant time(String column, String text) throws BrokenLineException {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            throw new BrokenLineException(
                    column + " is " + shown(text) + ", a time such as 2001-01-31T23:59Z is expected", e);
        }
    }

    private static String airport(String column, String text) throws BrokenLineException {
        if (!AIRPORTS.matcher(text).matches()) {
            throw new BrokenLineException(
                    column + " is " + shown(text) + ", an airport's three capital letters are expected");
        }
        return text;
    }

    private static int number(String column, String text, int min) throws BrokenLineException {
        try {
            int number = Integer.parseInt(text);
            if (number >= min) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new BrokenLineException(column + " is " + shown(text) + ", a whole number is expected", e);
        }
        throw new BrokenLineException(
                column + " is " + shown(text) + ", a whole number from " + min + " on is expected");
    }

    /** A text in quotes, cut to a bearable length and without control characters, since it goes to a terminal. */
    private static String shown(String text) {
        String cut = text.length() <= SHOWN_CHARACTERS_MAX ? text : text.substring(0, SHOWN_CHARACTERS_MAX) + "...";
        return "'" + cut.replaceAll("\\p{Cntrl}", "?") + "'";
    }

    /** What is wrong with a line. */
    private static final class BrokenLineException extends Exception {
        private static final long serialVersionUID = 1L;

        BrokenLineException(String message) {
            super(message);
        }

        BrokenLineException(String message, Exception cause) {
            super(message, cause);
        }
    }
}
