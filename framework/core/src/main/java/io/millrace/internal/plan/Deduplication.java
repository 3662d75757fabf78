package io.millrace.internal.plan;

import io.millrace.KeySelector;
import java.time.Duration;

/**
 * How repeated elements of a key are told and dropped, before the stage's function.
 *
 * @param idFunction gives an element's id
 * @param within how long after an element another one of its id counts as the same, by their arrival in the stream
 */
public record Deduplication(KeySelector<Object, String> idFunction, Duration within) {}
