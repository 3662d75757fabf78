package io.millrace.local;

import java.util.function.Function;

/**
 * What a function in a process is invoked with, and how its answer is read.
 *
 * @param id the same at each delivery of the same work
 * @param records how much work it is
 * @param json the event, not to be changed
 * @param answer reads the answer's body
 */
record InvocationPayload(String id, int records, byte[] json, Function<byte[], InvocationOutcome> answer) {}
