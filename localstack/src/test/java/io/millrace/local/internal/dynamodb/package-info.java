@NullMarked
package io.millrace.local.internal.dynamodb;

import org.jspecify.annotations.NullMarked;
