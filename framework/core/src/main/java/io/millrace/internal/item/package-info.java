/** Rows and items as DynamoDB takes them: keys, sizes, numbers. No API. */
@NullMarked
package io.millrace.internal.item;

import org.jspecify.annotations.NullMarked;
