/** The event source mapping: the state machine of a shard, the threads that drive it, Lambda's event format; no API. */
@NullMarked
package io.millrace.local.internal.mapping;

import org.jspecify.annotations.NullMarked;
