package io.millrace.serde;

/** A key of three parts. */
public record Key3<A, B, C>(A first, B second, C third) {}
