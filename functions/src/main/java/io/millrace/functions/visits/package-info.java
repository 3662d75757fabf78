/** Visits to a site: sessions of clicks, from a stream in which clicks are out of order. */
@NullMarked
package io.millrace.functions.visits;

import org.jspecify.annotations.NullMarked;
