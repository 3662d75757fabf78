@NullMarked
package io.millrace.local.internal.kinesis;

import org.jspecify.annotations.NullMarked;
