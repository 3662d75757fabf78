/** The local cloud: the embedded AWS, the event source mapping, fault injection. */
@NullMarked
package io.millrace.local;

import org.jspecify.annotations.NullMarked;
