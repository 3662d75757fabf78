package io.millrace.local;

/** What a mapping has done so far. Redelivered records count each repeated delivery by the mapping itself. */
public record MappingStatistics(
        long invocations,
        long deliveredRecords,
        long redeliveredRecords,
        long acknowledgedRecords,
        long functionErrors,
        long timeOuts,
        long throttles,
        long splits,
        long discardedRecords,
        long failedReads,
        long failedDeliveries) {}
