/**
 * The deterministic simulation: the production code over the embedded AWS in virtual time, every decision drawn from one
 * seed, and the mutants that it must catch. Not published.
 *
 * <p>Its words: a <em>mishap</em> lies in a record (it throws, it kills the process), a <em>misfortune</em> befalls the
 * functions (a crash, a zombie, an old batch), a <em>grudge</em> is misfortune that strikes one lane again and again, the
 * <em>weather</em> is how AWS behaves, and a batch is <em>lost</em> when the mapping gives it up without a word.
 */
@NullMarked
package io.millrace.simulation;

import org.jspecify.annotations.NullMarked;
