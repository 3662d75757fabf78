package io.millrace.local.internal.kinesis;

/**
 * What holds for all streams of a service.
 *
 * @param throughputLimited whether a shard refuses what exceeds its throughput
 * @param numbers which sequence numbers shards give
 */
record StreamRules(KinesisErrors errors, boolean throughputLimited, ShardNumbers.Scheme numbers) {}
