/** S3 of the embedded AWS; no API. */
@NullMarked
package io.millrace.local.internal.s3;

import org.jspecify.annotations.NullMarked;
