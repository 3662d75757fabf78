/** Windows: the elements of a key cut into pieces of event time. */
@NullMarked
package io.millrace.window;

import org.jspecify.annotations.NullMarked;
