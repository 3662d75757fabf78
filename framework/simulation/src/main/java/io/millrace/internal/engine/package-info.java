/** Broken rules of the engine. They lie in its package, since nothing else can make rules. */
@NullMarked
package io.millrace.internal.engine;

import org.jspecify.annotations.NullMarked;
