@NullMarked
package io.millrace.local.internal.s3;

import org.jspecify.annotations.NullMarked;
