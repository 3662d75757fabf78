package com.example.pageviews;

import io.millrace.ErrorPolicy;
import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;

/** The pipeline: from the stream {@code page-views} to a row for each user in the table {@code page-views-by-user}. */
public final class PageViews implements PipelineDefinition {
    @Override
    public void define(PipelineBuilder pipeline) {
        pipeline.fromKinesis("page-views", Json.of(PageView.class))
                .keyBy(PageView::user)
                .process(new CountViews())
                .uid("count-views")
                .errorPolicy(ErrorPolicy.retryThenDeadLetter(3))
                .sinkTo(DynamoDbSink.rows("page-views-by-user", UserRow.class));
    }
}
