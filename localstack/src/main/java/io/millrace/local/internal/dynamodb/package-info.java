/**
 * The simulated DynamoDB: tables in memory, with the errors, limits and capacity units of the real service. Requests and
 * responses are documents in DynamoDB's wire form.
 */
@NullMarked
package io.millrace.local.internal.dynamodb;

import org.jspecify.annotations.NullMarked;
