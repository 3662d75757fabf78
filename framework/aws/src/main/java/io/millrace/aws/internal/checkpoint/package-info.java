/** Checkpoints of a pipeline's state as objects in S3, and generations that are made of them. */
@NullMarked
package io.millrace.aws.internal.checkpoint;

import org.jspecify.annotations.NullMarked;
