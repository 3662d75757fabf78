/** Pipelines: what a user writes. */
@NullMarked
package io.millrace;

import org.jspecify.annotations.NullMarked;
