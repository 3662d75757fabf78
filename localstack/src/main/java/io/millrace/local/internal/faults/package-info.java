/** Fault injection below the SDK: which fault an operation can meet, and its answer in the request's wire format; no API. */
@NullMarked
package io.millrace.local.internal.faults;

import org.jspecify.annotations.NullMarked;
