/** Millrace on AWS: the Lambda entry point and what is around it. */
@NullMarked
package io.millrace.aws;

import org.jspecify.annotations.NullMarked;
