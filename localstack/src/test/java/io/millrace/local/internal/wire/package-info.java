@NullMarked
package io.millrace.local.internal.wire;

import org.jspecify.annotations.NullMarked;
