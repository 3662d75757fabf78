package io.millrace.simulation;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.OpenContext;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.sink.DynamoDbSink;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The pipeline of the simulation: postings to accounts, with a row for each and one for the latest. An account that is
 * balanced keeps no state, so that its cell is a tombstone.
 */
final class Ledger implements PipelineDefinition {
    static final String NAME = "ledger";
    static final String STAGE = "accounts";
    static final String LINES_TABLE = "ledger-lines";

    /** More rows than a transaction takes. */
    private static final int TOO_MANY_LINES = 120;

    private final String stream;
    private final Scenario scenario;
    private final PostingRuns runs;
    private final boolean mended;

    /** The code as it is now, over one of the streams: all share the stage, and with it the accounts. */
    Ledger(String stream, Scenario scenario, PostingRuns runs) {
        this.stream = stream;
        this.scenario = scenario;
        this.runs = runs;
        this.mended = runs.isMended();
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis(stream, Posting.SERDE)
                .undecodable(scenario.undecodablePolicy())
                .<Part>flatMap((posting, out) -> {
                    runs.noteBeforeKey(posting);
                    failIf(posting.mishap() == Posting.Mishap.THROWS_BEFORE_ITS_KEY);
                    killIf(posting.mishap() == Posting.Mishap.KILLS_BEFORE_ITS_KEY);
                    posting.entries().forEach(entry -> out.collect(new Part(entry, posting)));
                })
                .keyBy(part -> part.entry().account())
                .process(new Post())
                .uid(STAGE)
                .errorPolicy(scenario.errorPolicy())
                .sinkTo(DynamoDbSink.rows(LINES_TABLE, Line.class));
    }

    private void failIf(boolean condition) {
        if (condition && !mended) {
            throw new IllegalStateException("a mishap");
        }
    }

    private void killIf(boolean condition) {
        if (condition && !mended) {
            throw new OutOfMemoryError("a mishap that kills the process");
        }
    }

    /** An entry on its way to its account. */
    private record Part(Posting.Entry entry, Posting posting) {}

    private final class Post extends KeyedProcessFunction<String, Part, Line> {
        private @Nullable AccountBooks books;

        @Override
        public void open(OpenContext openContext) {
            books = AccountBooks.of(scenario.books(), getRuntimeContext());
        }

        @Override
        public void processElement(Part part, Context ctx, Collector<Line> out) throws Exception {
            Posting posting = part.posting();
            String name = part.entry().account();
            runs.note(posting, name);
            AccountBooks account = Objects.requireNonNull(books);
            int before = account.balance();
            account.post(posting.id(), part.entry().amount());
            int balance = account.balance();
            out.collect(new Line(name, posting.id(), posting.id(), balance));
            out.collect(new Line(name, Line.LATEST, posting.id(), balance));
            boolean tooMuch = posting.mishap() == Posting.Mishap.PUTS_OUT_TOO_MUCH && !mended;
            int extraLines = tooMuch ? TOO_MANY_LINES : posting.extraLines();
            for (int i = 0; i < extraLines; i++) {
                out.collect(new Line(name, Line.extraId(posting.id(), i), posting.id(), balance));
            }
            failIf(posting.mishap() == Posting.Mishap.THROWS
                    || (posting.mishap() == Posting.Mishap.THROWS_AT_ODD_BALANCE && before % 2 != 0)
                    || (posting.mishap() == Posting.Mishap.THROWS_AT_ITS_LAST_ACCOUNT && posting.isLast(name)));
            killIf(posting.mishap() == Posting.Mishap.KILLS);
            if (balance == 0) {
                account.clear();
            }
        }
    }
}
