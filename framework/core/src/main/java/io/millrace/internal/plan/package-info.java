/** A pipeline as built: what the engine runs. No API. */
@NullMarked
package io.millrace.internal.plan;

import org.jspecify.annotations.NullMarked;
