/** What the local cloud is made of; no API. */
@NullMarked
package io.millrace.local.internal;

import org.jspecify.annotations.NullMarked;
