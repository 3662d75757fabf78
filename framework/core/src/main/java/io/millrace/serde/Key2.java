package io.millrace.serde;

/** A key of two parts. */
public record Key2<A, B>(A first, B second) {}
