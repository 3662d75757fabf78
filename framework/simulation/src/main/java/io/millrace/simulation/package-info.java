/** The deterministic simulation of the protocol, and the mutants that it must catch. */
@NullMarked
package io.millrace.simulation;

import org.jspecify.annotations.NullMarked;
