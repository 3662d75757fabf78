package io.millrace.simulation;

import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.simulation.Posting.Mishap;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.RowKey;
import java.util.Map;

/**
 * The simulated pipeline without state: a row for each posting to an account, and one that all postings to it change.
 * There are no cells, so each row carries a fence of its own. Its tables have the names of the {@link Ledger}'s.
 */
final class Journal implements PipelineDefinition {
    private final String stream;
    private final Scenario scenario;
    private final PostingRuns runs;
    private final Mishaps mishaps;

    /** The code as it is now, over one of the streams. */
    Journal(String stream, Scenario scenario, PostingRuns runs) {
        this.stream = stream;
        this.scenario = scenario;
        this.runs = runs;
        this.mishaps = new Mishaps(runs);
    }

    @Override
    public String name() {
        return Ledger.NAME;
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis(stream, Posting.SERDE)
                .undecodable(scenario.undecodablePolicy())
                .<Latest>flatMap((posting, out) -> {
                    runs.noteBeforeKey(posting);
                    for (Posting.Entry entry : posting.entries()) {
                        befall(posting, entry);
                        if (mishaps.befall(posting, Mishap.PUTS_OUT_TOO_MUCH)) {
                            out.collect(Latest.tooMuch(posting, entry));
                        } else {
                            Latest.of(posting, entry).forEach(out::collect);
                        }
                    }
                })
                .sinkTo(Latest.sink())
                .sinkTo(lines())
                .uid(Ledger.STAGE)
                .errorPolicy(scenario.errorPolicy());
    }

    /** Without state there is no balance to depend on: what throws at an odd one throws always. */
    private void befall(Posting posting, Posting.Entry entry) {
        mishaps.failIf(
                switch (posting.mishap()) {
                    case THROWS, THROWS_AT_ODD_BALANCE, THROWS_BEFORE_ITS_KEY -> true;
                    case THROWS_AT_ITS_LAST_ACCOUNT -> posting.isLast(entry.account());
                    default -> false;
                });
        mishaps.killIf(posting.mishap() == Mishap.KILLS || posting.mishap() == Mishap.KILLS_BEFORE_ITS_KEY);
    }

    private static DynamoDbSink<Latest> lines() {
        return DynamoDbSink.rows(
                Ledger.LINES_TABLE,
                RowKey.text("account", Latest::account).thenText("id", Latest::posting),
                latest -> Map.of("posting", latest.posting(), "balance", latest.amount()));
    }
}
