/** What Millrace's own operators, such as windows, are given beside what users' functions are. No API. */
@NullMarked
package io.millrace.internal.operator;

import org.jspecify.annotations.NullMarked;
