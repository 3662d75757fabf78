/** Where a stage's results go. */
@NullMarked
package io.millrace.sink;

import org.jspecify.annotations.NullMarked;
