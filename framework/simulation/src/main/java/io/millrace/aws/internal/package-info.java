/** Broken rules of the shell. They lie in its package, since nothing else can make rules. */
@NullMarked
package io.millrace.aws.internal;

import org.jspecify.annotations.NullMarked;
