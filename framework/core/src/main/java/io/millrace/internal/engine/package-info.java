/** The pure engine: cells and records in, units out; no I/O, clock or randomness of its own. No API. */
@NullMarked
package io.millrace.internal.engine;

import org.jspecify.annotations.NullMarked;
