package io.millrace.internal.plan;

import io.millrace.time.WatermarkStrategy;

/**
 * Where elements get their event time.
 *
 * @param strategy how
 * @param stepsBefore how many of the stateless steps come before
 */
public record EventTimePlan(WatermarkStrategy<Object> strategy, int stepsBefore) {}
