package io.millrace.functions.visits;

import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.time.WatermarkStrategy;
import io.millrace.window.EventTimeSessionWindows;
import java.time.Duration;

/**
 * Visits: the sessions of each user's clicks. The stream is partitioned by page, so the clicks of one visit come from all
 * shards, and not in their order.
 */
public final class Visits implements PipelineDefinition {
    /** The stream that it reads. */
    public static final String STREAM = "clicks";

    /** The table that it writes. */
    public static final String TABLE = "visits";

    /** The longest pause between two clicks of a visit. */
    public static final Duration PAUSE_MAX = Duration.ofMinutes(30);

    /** How late clicks may come: the site's collectors send them within 5 minutes. */
    public static final Duration OUT_OF_ORDERNESS = Duration.ofMinutes(5);

    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis(STREAM, Json.of(Click.class))
                .assignTimestampsAndWatermarks(WatermarkStrategy.<Click>forBoundedOutOfOrderness(OUT_OF_ORDERNESS)
                        .withTimestampAssigner(Click::time))
                .keyBy(Click::user)
                .window(EventTimeSessionWindows.withGap(PAUSE_MAX))
                .aggregate(new FollowTrail(), new VisitRows())
                .uid("visits")
                .sinkTo(DynamoDbSink.rows(TABLE, VisitRow.class));
    }
}
