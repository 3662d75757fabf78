package io.millrace.simulation;

import io.millrace.AggregateFunction;
import io.millrace.Collector;
import io.millrace.KeyedProcessFunction;
import io.millrace.KeyedStream;
import io.millrace.OpenContext;
import io.millrace.OutputTag;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.StageStream;
import io.millrace.TimeDomain;
import io.millrace.WindowedStream;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.window.EventTimeSessionWindows;
import io.millrace.window.TimeWindow;
import io.millrace.window.TumblingEventTimeWindows;
import io.millrace.window.WindowAssigner;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The pipeline of the seeds with event time: a statement for each account and window of event time, with a row whenever a
 * window fires. It has the ledger's place: its name, its stage and its tables, but for the rows'.
 */
final class Statements implements PipelineDefinition {
    static final String TABLE = "ledger-statements";

    private static final OutputTag<Part> LATE = new OutputTag<>("late", Part.class);

    private final String stream;
    private final Scenario scenario;
    private final StatementScenario times;
    private final PostingRuns runs;
    private final Mishaps mishaps;

    /** The code as it is now. */
    Statements(String stream, Scenario scenario, StatementScenario times, PostingRuns runs) {
        this.stream = stream;
        this.scenario = scenario;
        this.times = times;
        this.runs = runs;
        this.mishaps = new Mishaps(runs);
    }

    @Override
    public String name() {
        return Ledger.NAME;
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        KeyedStream<String, Part> parts = pipeline.fromKinesis(stream, Posting.SERDE)
                .undecodable(scenario.undecodablePolicy())
                .assignTimestampsAndWatermarks(times.strategy())
                .<Part>flatMap((posting, out) -> {
                    runs.noteBeforeKey(posting);
                    mishaps.failIf(posting.mishap() == Posting.Mishap.THROWS_BEFORE_ITS_KEY);
                    mishaps.killIf(posting.mishap() == Posting.Mishap.KILLS_BEFORE_ITS_KEY);
                    posting.entries().forEach(entry -> out.collect(new Part(entry, posting)));
                })
                .keyBy(part -> part.entry().account());
        StageStream<StatementRow> rows = switch (times.kind()) {
            case TUMBLING -> windows(parts, TumblingEventTimeWindows.of(times.size()));
            case SESSIONS -> windows(parts, EventTimeSessionWindows.withGap(times.size()));
            case TIMERS -> parts.process(new Remind());
        };
        rows.uid(Ledger.STAGE).errorPolicy(scenario.errorPolicy()).sinkTo(DynamoDbSink.rows(TABLE, StatementRow.class));
        if (times.lateOutput()) {
            rows.getSideOutput(LATE)
                    .map(part -> StatementRow.ofLate(
                            part.entry().account(),
                            part.posting().id(),
                            part.entry().amount()))
                    .sinkTo(DynamoDbSink.rows(TABLE, StatementRow.class));
        }
    }

    private StageStream<StatementRow> windows(KeyedStream<String, Part> parts, WindowAssigner assigner) {
        WindowedStream<String, Part> windowed = parts.window(assigner).allowedLateness(times.lateness());
        return (times.lateOutput() ? windowed.sideOutputLateData(LATE) : windowed)
                .aggregate(new Gather(), Json.of(Statement.class), new FiredStatements());
    }

    /** Adds a posting to a statement; where the posting has a mishap, that comes behind the change. */
    private void post(Part part, Statement statement) {
        Posting posting = part.posting();
        String account = part.entry().account();
        runs.note(posting, account);
        int before = statement.amount;
        statement.post(posting.id(), part.entry().amount());
        mishaps.failIf(posting.mishap() == Posting.Mishap.THROWS
                || (posting.mishap() == Posting.Mishap.THROWS_AT_ODD_BALANCE && before % 2 != 0)
                || (posting.mishap() == Posting.Mishap.THROWS_AT_ITS_LAST_ACCOUNT && posting.isLast(account)));
        mishaps.killIf(posting.mishap() == Posting.Mishap.KILLS);
    }

    /** An entry on its way to its account. */
    record Part(Posting.Entry entry, Posting posting) {}

    private final class Gather implements AggregateFunction<Part, Statement, Statement> {
        @Override
        public Statement createAccumulator() {
            return new Statement();
        }

        @Override
        public Statement add(Part part, Statement statement) {
            post(part, statement);
            return statement;
        }

        @Override
        public Statement getResult(Statement statement) {
            return statement;
        }

        @Override
        public Statement merge(Statement one, Statement other) {
            one.post(other);
            return one;
        }
    }

    /** Tumbling windows by timers of its own. */
    private final class Remind extends KeyedProcessFunction<String, Part, StatementRow> {
        private @Nullable MapState<String, Statement> windows;

        @Override
        public void open(OpenContext openContext) {
            windows = getRuntimeContext()
                    .getMapState(new MapStateDescriptor<>(StoredStatements.WINDOWS, String.class, Statement.class));
        }

        private MapState<String, Statement> windows() {
            return Objects.requireNonNull(windows);
        }

        @Override
        public void processElement(Part part, Context ctx, Collector<StatementRow> out) {
            TimeWindow window = StatementModel.tumbling(ctx.timestamp(), times.size());
            if (window.maxTimestamp() <= ctx.timerService().currentWatermark()) {
                if (times.lateOutput()) {
                    ctx.output(LATE, part);
                }
                return;
            }
            Statement before = windows().get(window.toString());
            Statement statement = before == null ? new Statement() : before;
            post(part, statement);
            windows().put(window.toString(), statement);
            ctx.timerService().registerEventTimeTimer(window.maxTimestamp());
            ctx.timerService().registerProcessingTimeTimer(part.posting().dueAt());
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext ctx, Collector<StatementRow> out) {
            String account = ctx.getCurrentKey();
            if (ctx.timeDomain() == TimeDomain.PROCESSING_TIME) {
                Statement open = new Statement();
                List<String> keys = new ArrayList<>();
                windows().keys().forEach(keys::add);
                keys.forEach(key -> open.post(Objects.requireNonNull(windows().get(key))));
                out.collect(StatementRow.ofTimer(account, timestamp, open));
                return;
            }
            TimeWindow window = StatementModel.tumbling(timestamp, times.size());
            Statement statement = windows().get(window.toString());
            if (statement != null) {
                windows().remove(window.toString());
                out.collect(StatementRow.ofWindow(account, window, statement));
            }
        }
    }
}
