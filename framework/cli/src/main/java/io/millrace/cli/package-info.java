/** The {@code millrace} command. */
@NullMarked
package io.millrace.cli;

import org.jspecify.annotations.NullMarked;
