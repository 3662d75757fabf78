package io.millrace.serde;

import java.time.Instant;

/**
 * One line of a log that a CloudWatch Logs subscription sent.
 *
 * @param owner the account that the log belongs to
 * @param logGroup the log group's name
 * @param logStream the log stream's name
 * @param id the event's id, the same however often CloudWatch Logs sends it, which is at least once
 * @param timestamp when it happened, as its writer said
 * @param message the line
 */
public record CloudWatchLogEvent(
        String owner, String logGroup, String logStream, String id, Instant timestamp, String message) {}
