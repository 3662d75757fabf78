package io.millrace.sink;

/** Where a stage's results go, in one transaction with the state that they came from. */
public sealed interface Sink<T> permits DynamoDbSink {}
