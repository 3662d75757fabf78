package io.millrace.sink;

import io.millrace.internal.item.Row;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How elements become changes of a table's rows. */
interface RowMapping<T> {
    /** The partition key's attribute. */
    Row.Key partitionKey();

    /** The sort key's attribute, if the table has one. */
    Row.@Nullable Key sortKey();

    /** The change that an element makes. */
    Row row(String table, T element);

    /** The classes whose code decides which row an element changes, and how. */
    List<Class<?>> code();
}
