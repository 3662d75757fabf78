/** Real example pipelines, one package each. */
@NullMarked
package io.millrace.functions;

import org.jspecify.annotations.NullMarked;
