/** How values become bytes and keys become text, and back. */
@NullMarked
package io.millrace.serde;

import org.jspecify.annotations.NullMarked;
