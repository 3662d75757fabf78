package io.millrace.cli;

import com.fasterxml.jackson.core.JsonPointer;
import io.millrace.functions.visits.Click;
import io.millrace.functions.visits.SampleClicks;
import io.millrace.functions.visits.Visits;
import io.millrace.serde.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The visits: clicks, generated or from JSON lines, partitioned by page, and the sessions of each user. */
final class VisitsExample implements Example {
    private static final PartitionKeys BY_PAGE = new PartitionKeys.OfField(JsonPointer.compile("/page"));

    @Override
    public Class<Visits> type() {
        return Visits.class;
    }

    @Override
    public String stream() {
        return Visits.STREAM;
    }

    @Override
    public Input open(@Nullable Path file, Consumer<String> brokenLines) throws IOException {
        return file == null ? new Generated(SampleClicks.all()) : JsonLines.open(file, BY_PAGE, brokenLines);
    }

    @Override
    public Expectation expectation() {
        return new VisitsExpectation();
    }

    @Override
    public Board board(ResultTables tables) {
        return VisitsBoard.of(tables);
    }

    private static final class Generated implements Input {
        private final Json<Click> json = Json.of(Click.class);
        private final int size;
        private final Iterator<Click> clicks;

        Generated(List<Click> clicks) {
            this.size = clicks.size();
            this.clicks = clicks.iterator();
        }

        @Override
        public @Nullable OutgoingRecord next() {
            if (!clicks.hasNext()) {
                return null;
            }
            Click click = clicks.next();
            return new OutgoingRecord(click.page(), json.serialize(click));
        }

        @Override
        public long brokenLines() {
            return 0;
        }

        @Override
        public OptionalLong size() {
            return OptionalLong.of(size);
        }

        @Override
        public void close() {}
    }
}
