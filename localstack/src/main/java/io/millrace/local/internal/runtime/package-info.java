/** The runtime side of Lambda for functions in processes of their own: the runtime API, and the processes that ask it. */
@NullMarked
package io.millrace.local.internal.runtime;

import org.jspecify.annotations.NullMarked;
