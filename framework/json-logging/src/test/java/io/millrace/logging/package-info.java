@NullMarked
package io.millrace.logging;

import org.jspecify.annotations.NullMarked;
