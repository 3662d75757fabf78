/** The shell around the engine: DynamoDB, Kinesis, the course of an invocation. No API. */
@NullMarked
package io.millrace.aws.internal;

import org.jspecify.annotations.NullMarked;
