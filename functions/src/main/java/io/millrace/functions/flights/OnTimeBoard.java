package io.millrace.functions.flights;

import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;

/**
 * The on-time board: for each airport and day (of the scheduled departure, in UTC) the flights, the delayed ones and the
 * minutes of delay, kept up to date with each report. The stream is partitioned by destination and the board is kept by
 * origin, so every shard writes every airport's state.
 */
public final class OnTimeBoard implements PipelineDefinition {
    /** The pipeline's name. */
    public static final String NAME = "flights";

    /** The stream that it reads. */
    public static final String STREAM = "flights";

    /** The table that it writes. */
    public static final String TABLE = "on-time-board";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis(STREAM, Json.of(FlightReport.class))
                .keyBy(FlightReport::origin)
                .process(new OnTime())
                .uid("on-time")
                .sinkTo(DynamoDbSink.rows(TABLE, OnTimeRow.class));
    }
}
