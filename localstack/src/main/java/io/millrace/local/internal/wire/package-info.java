/** HTTP requests and responses of the embedded AWS, their routing, and the two transports; no API. */
@NullMarked
package io.millrace.local.internal.wire;

import org.jspecify.annotations.NullMarked;
