@NullMarked
package io.millrace.local.internal.runtime;

import org.jspecify.annotations.NullMarked;
