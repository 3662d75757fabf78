@NullMarked
package io.millrace.local.testing;

import org.jspecify.annotations.NullMarked;
