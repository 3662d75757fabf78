package io.millrace.aws;

/**
 * How far a cell has absorbed a lane.
 *
 * @param sequenceNumber the sequence number of the highest record, in digits
 * @param subSequence its index among those that were aggregated into one Kinesis record; 0 if it was alone
 */
public record StoredPosition(String sequenceNumber, int subSequence) {}
