/** The on-time board: how punctual each airport's departures were, day by day, from a stream of flight reports. */
@NullMarked
package io.millrace.functions.flights;

import org.jspecify.annotations.NullMarked;
