package io.millrace.internal.engine;

import java.time.Instant;

/**
 * A user record of a lane, not decoded yet. Nobody may write into the payload.
 *
 * @param arrival when it arrived in the stream, by Kinesis's clock
 */
public record InputRecord(Position position, byte[] payload, Instant arrival) {}
