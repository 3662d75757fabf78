/** The way by which a simulation gives a function other rules than the protocol's. */
@NullMarked
package io.millrace.aws;

import org.jspecify.annotations.NullMarked;
