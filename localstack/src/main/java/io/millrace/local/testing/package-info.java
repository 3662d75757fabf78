/** What users test their pipelines and functions with. */
@NullMarked
package io.millrace.local.testing;

import org.jspecify.annotations.NullMarked;
