package io.millrace.cli;

import io.millrace.aws.StoredCell;
import io.millrace.aws.StoredStateView;
import io.millrace.aws.StoredValue;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** How an export writes cells. */
enum CellFormat {
    /** One JSON object a line for each cell. */
    JSON {
        @Override
        String head() {
            return "";
        }

        @Override
        String text(StoredCell cell) {
            return CellText.json(cell) + "\n";
        }
    },

    /** CSV by RFC 4180, one row for each value; a tombstone has none, an unreadable cell has one that says why. */
    CSV {
        @Override
        String head() {
            return row("stage", "key", "state", "kind", "map_key", "element", "value", "encoding", "time");
        }

        @Override
        String text(StoredCell cell) {
            if (!cell.isReadable()) {
                String damage = Objects.toString(cell.damage(), "");
                return row(cell.stage(), cell.key(), "", "unreadable", "", "", damage, "", "");
            }
            StringBuilder rows = new StringBuilder();
            cell.states().forEach((name, state) -> {
                if (state instanceof StoredStateView.OfValue of) {
                    rows.append(row(cell, name, state, "", "", of.value()));
                } else if (state instanceof StoredStateView.OfMap of) {
                    of.entries().forEach((key, value) -> rows.append(row(cell, name, state, key, "", value)));
                } else {
                    List<StoredValue> elements = ((StoredStateView.OfList) state).elements();
                    for (int i = 0; i < elements.size(); i++) {
                        rows.append(row(cell, name, state, "", Integer.toString(i), elements.get(i)));
                    }
                }
            });
            return rows.toString();
        }
    };

    private static final String CSV_SUFFIX = ".csv";

    /** What stands before the first cell. */
    abstract String head();

    /** A cell with the line ends behind it. */
    abstract String text(StoredCell cell);

    /** The format that was asked for, or the one of the file's name. */
    static CellFormat of(@Nullable String format, String file) {
        if (format == null) {
            return file.toLowerCase(Locale.ROOT).endsWith(CSV_SUFFIX) ? CSV : JSON;
        }
        return Arrays.stream(values())
                .filter(known -> known.name().equals(format.toUpperCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> CommandFailure.usage("--format is '" + format + "'; there are json and csv."));
    }

    private static String row(
            StoredCell cell, String name, StoredStateView state, String mapKey, String element, StoredValue value) {
        return row(
                cell.stage(),
                cell.key(),
                name,
                state.kind(),
                mapKey,
                element,
                value.text(),
                value.isText() ? "text" : "base64",
                Objects.toString(value.time(), ""));
    }

    private static String row(String... fields) {
        return Arrays.stream(fields).map(CellFormat::quoted).collect(Collectors.joining(",", "", "\r\n"));
    }

    /** A field as RFC 4180 has it. Nothing else is changed: what is exported is what is stored. */
    private static String quoted(String field) {
        boolean plain = field.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
        return plain ? field : '"' + field.replace("\"", "\"\"") + '"';
    }
}
