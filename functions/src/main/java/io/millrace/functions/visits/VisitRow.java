package io.millrace.functions.visits;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;

/**
 * A row for a visit: clicks of a user with no longer pause between them than {@link Visits#PAUSE_MAX}.
 *
 * @param start the time of the first click
 * @param end the time of the last click
 * @param clicks how many clicks
 * @param entryPage the page of the first one
 * @param exitPage the page of the last one
 */
public record VisitRow(
        @PartitionKey String user,
        @SortKey String start,
        String end,
        long clicks,
        @JsonProperty("entry_page") String entryPage,
        @JsonProperty("exit_page") String exitPage) {}
