/** Logs as JSON lines. */
@NullMarked
package io.millrace.logging;

import org.jspecify.annotations.NullMarked;
