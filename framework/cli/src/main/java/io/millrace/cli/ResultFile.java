package io.millrace.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The file that a result is written to: JSON with all tables, or CSV of one.
 *
 * @param table the table to write; null for all that the pipeline has, or an example's own CSV
 */
record ResultFile(Path path, @Nullable String table) {
    private static final String JSON_SUFFIX = ".json";
    private static final String CSV_SUFFIX = ".csv";

    /** A file that can be written, for the result of a pipeline. */
    static ResultFile of(Path path, @Nullable String table, FoundPipeline pipeline, @Nullable Example example) {
        checkWritable(path);
        List<String> tables = ResultTables.names(pipeline.plan());
        if (table != null && !tables.contains(table)) {
            throw CommandFailure.usage("--table is '" + table + "', which the pipeline '" + pipeline.name()
                    + "' does not write; it writes " + String.join(", ", tables) + ".");
        }
        ResultFile file = new ResultFile(path, table);
        if (file.isJson() || (example != null && table == null)) {
            return file;
        }
        if (!file.endsWith(CSV_SUFFIX)) {
            throw CommandFailure.usage("--output is '" + path + "'; a name that ends in " + CSV_SUFFIX + " or "
                    + JSON_SUFFIX + " is expected.");
        }
        if (table == null && tables.size() > 1) {
            throw CommandFailure.usage("The pipeline '" + pipeline.name() + "' writes the tables "
                    + String.join(", ", tables) + ", and a CSV file holds one. Name it by --table, or write a "
                    + JSON_SUFFIX + " file.");
        }
        return file;
    }

    /** Refuses a file that this user cannot write. */
    static void checkWritable(Path output) {
        if (Files.isDirectory(output)) {
            throw CommandFailure.usage("The output file '" + output + "' is a folder; a file is expected.");
        }
        Path folder = output.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw CommandFailure.usage(
                    "The folder of the output file '" + output + "' does not exist. Create it first.");
        }
        if (!(Files.exists(output) ? Files.isWritable(output) : Files.isWritable(folder))) {
            throw CommandFailure.usage("The output file '" + output + "' may not be written by this user.");
        }
    }

    private boolean isJson() {
        return endsWith(JSON_SUFFIX);
    }

    private boolean endsWith(String suffix) {
        return path.toString().toLowerCase(Locale.ROOT).endsWith(suffix);
    }

    /** Writes the result. */
    void write(ResultTables result, Example.@Nullable Board board) {
        try {
            Files.writeString(path, text(result, board));
        } catch (IOException e) {
            throw CommandFailure.failed("The output file '" + path + "' cannot be written: " + e + ".", e);
        }
    }

    private String text(ResultTables result, Example.@Nullable Board board) {
        List<ResultTable> tables = table == null ? result.tables() : List.of(result.table(table));
        if (isJson()) {
            return ResultTables.json(tables);
        }
        return board != null && table == null ? board.csv() : tables.get(0).csv();
    }
}
