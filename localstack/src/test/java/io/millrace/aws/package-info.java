/** Tests of the shell over the embedded AWS. */
@NullMarked
package io.millrace.aws;

import org.jspecify.annotations.NullMarked;
