package io.millrace.simulation;

import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.KeyedStream;
import io.millrace.OpenContext;
import io.millrace.OutputTag;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.StageStream;
import io.millrace.simulation.Posting.Mishap;
import io.millrace.sink.DynamoDbSink;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The simulated pipeline with state: postings to accounts, with a row for each, and on a side output what becomes of the
 * row of an account's latest. An account that is balanced keeps no state, so that its cell is a tombstone.
 */
final class Ledger implements PipelineDefinition {
    static final String NAME = "ledger";
    static final String STAGE = "accounts";
    static final String LINES_TABLE = "ledger-lines";

    /** Longer than a simulation runs, but for the days that may pass in the middle of it. */
    static final Duration REPEATED_WITHIN = Duration.ofHours(12);

    /** More rows than a transaction takes. */
    private static final int TOO_MANY_LINES = 120;

    private static final OutputTag<Latest> LATEST = new OutputTag<>("latest", Latest.class);

    private final String stream;
    private final Scenario scenario;
    private final PostingRuns runs;
    private final Mishaps mishaps;

    /** The code as it is now, over one of the streams: all share the stage, and with it the accounts. */
    Ledger(String stream, Scenario scenario, PostingRuns runs) {
        this.stream = stream;
        this.scenario = scenario;
        this.runs = runs;
        this.mishaps = new Mishaps(runs);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        KeyedStream<String, Part> parts = pipeline.fromKinesis(stream, Posting.SERDE)
                .undecodable(scenario.undecodablePolicy())
                .<Part>flatMap((posting, out) -> {
                    runs.noteBeforeKey(posting);
                    mishaps.failIf(posting.mishap() == Mishap.THROWS_BEFORE_ITS_KEY);
                    mishaps.killIf(posting.mishap() == Mishap.KILLS_BEFORE_ITS_KEY);
                    posting.entries().forEach(entry -> out.collect(new Part(entry, posting)));
                })
                .keyBy(part -> part.entry().account());
        StageStream<Line> lines = (scenario.deduplicates()
                        ? parts.deduplicate(part -> part.posting().id(), REPEATED_WITHIN)
                        : parts)
                .process(new Post())
                .uid(STAGE)
                .errorPolicy(scenario.errorPolicy());
        lines.sinkTo(DynamoDbSink.rows(LINES_TABLE, Line.class));
        lines.getSideOutput(LATEST).sinkTo(Latest.sink());
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
            account.post(posting.id() + scenario.remark(), part.entry().amount());
            int balance = account.balance();
            out.collect(new Line(name, posting.id(), posting.id(), balance));
            Latest.of(posting, part.entry()).forEach(latest -> ctx.output(LATEST, latest));
            boolean tooMuch = mishaps.befall(posting, Mishap.PUTS_OUT_TOO_MUCH);
            int extraLines = tooMuch ? TOO_MANY_LINES : posting.extraLines();
            for (int i = 0; i < extraLines; i++) {
                out.collect(new Line(name, Line.extraId(posting.id(), i), posting.id(), balance));
            }
            mishaps.failIf(posting.mishap() == Mishap.THROWS
                    || (posting.mishap() == Mishap.THROWS_AT_ODD_BALANCE && before % 2 != 0)
                    || (posting.mishap() == Mishap.THROWS_AT_ITS_LAST_ACCOUNT && posting.isLast(name)));
            mishaps.killIf(posting.mishap() == Mishap.KILLS);
            if (balance == 0) {
                account.clear();
            }
        }
    }
}
