/** Kinesis Data Streams, simulated: streams, shards, records, iterators; no API. */
@NullMarked
package io.millrace.local.internal.kinesis;

import org.jspecify.annotations.NullMarked;
