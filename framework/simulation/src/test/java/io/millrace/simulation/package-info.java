@NullMarked
package io.millrace.simulation;

import org.jspecify.annotations.NullMarked;
