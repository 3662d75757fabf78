/** Keyed state: what a function keeps for each key. */
@NullMarked
package io.millrace.state;

import org.jspecify.annotations.NullMarked;
