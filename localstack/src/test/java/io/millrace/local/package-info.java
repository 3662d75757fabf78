@NullMarked
package io.millrace.local;

import org.jspecify.annotations.NullMarked;
