package io.millrace.functions.flights;

import io.millrace.OutputTag;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.StageStream;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.time.WatermarkStrategy;
import io.millrace.window.TumblingEventTimeWindows;
import java.time.Duration;

/**
 * The on-time board: for each airport and day (of the scheduled departure, in UTC) the flights, the delayed ones and the
 * minutes of delay, written when the day is over. The stream is partitioned by destination and the board is kept by
 * origin, so every shard writes every airport's state. A report that comes when its day is closed gets a row of its own.
 */
public final class OnTimeBoard implements PipelineDefinition {
    /** The pipeline's name. */
    public static final String NAME = "flights";

    /** The stream that it reads. */
    public static final String STREAM = "flights";

    /** The table that it writes. */
    public static final String TABLE = "on-time-board";

    /** The table of the reports that came too late. */
    public static final String LATE_TABLE = "late-flights";

    /** How late reports may come: they become known when a flight has left, the latest here 8 h 11 min behind schedule. */
    public static final Duration OUT_OF_ORDERNESS = Duration.ofHours(9);

    private static final OutputTag<FlightReport> LATE = new OutputTag<>("late", FlightReport.class);

    private final Duration outOfOrderness;

    /** The board that waits {@link #OUT_OF_ORDERNESS} for reports. */
    public OnTimeBoard() {
        this(OUT_OF_ORDERNESS);
    }

    /** A board that waits so long for reports. */
    public OnTimeBoard(Duration outOfOrderness) {
        this.outOfOrderness = outOfOrderness;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        StageStream<OnTimeRow> rows = pipeline.fromKinesis(STREAM, Json.of(FlightReport.class))
                .assignTimestampsAndWatermarks(WatermarkStrategy.<FlightReport>forBoundedOutOfOrderness(outOfOrderness)
                        .withTimestampAssigner(FlightReport::scheduled))
                .keyBy(FlightReport::origin)
                .window(TumblingEventTimeWindows.of(Duration.ofDays(1)))
                .sideOutputLateData(LATE)
                .aggregate(new OnTime(), new OnTimeRows())
                .uid("on-time");
        rows.sinkTo(DynamoDbSink.rows(TABLE, OnTimeRow.class));
        rows.getSideOutput(LATE).map(LateFlightRow::of).sinkTo(DynamoDbSink.rows(LATE_TABLE, LateFlightRow.class));
    }
}
