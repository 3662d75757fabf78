/** Tests of the shell over the embedded AWS. */
@NullMarked
package io.millrace.aws.internal;

import org.jspecify.annotations.NullMarked;
