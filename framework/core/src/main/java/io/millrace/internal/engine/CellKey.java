package io.millrace.internal.engine;

/** What tells one cell from another: stage, key and generation. */
public record CellKey(String stage, String key, long generation) {}
