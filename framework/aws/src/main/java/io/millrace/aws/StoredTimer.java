package io.millrace.aws;

import io.millrace.TimeDomain;
import java.time.Instant;

/**
 * A timer as it is stored in a cell.
 *
 * @param time when it is due
 * @param name what tells timers of one time apart, such as a window; empty for those that user code registers
 * @param attempts how often it was tried and threw
 */
public record StoredTimer(TimeDomain domain, Instant time, String name, int attempts) {}
