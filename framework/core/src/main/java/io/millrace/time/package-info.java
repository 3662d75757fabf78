/** Event time: when things happened, as their records say, and how far a stream has come in it. */
@NullMarked
package io.millrace.time;

import org.jspecify.annotations.NullMarked;
