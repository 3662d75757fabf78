package com.example.pageviews;

import io.millrace.sink.PartitionKey;
import java.time.Instant;

/**
 * A row of the table: what a user has looked at. It is the state of the user's key, too.
 *
 * @param user who it is
 * @param views how many pages
 * @param lastPage the page looked at last
 * @param lastTime when that was
 */
public record UserRow(@PartitionKey String user, long views, String lastPage, Instant lastTime) {}
