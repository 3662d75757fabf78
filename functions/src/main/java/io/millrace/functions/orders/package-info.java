/** Orders with a running balance for each account, and a ledger row for each order. */
@NullMarked
package io.millrace.functions.orders;

import org.jspecify.annotations.NullMarked;
