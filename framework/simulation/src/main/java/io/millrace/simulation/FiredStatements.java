package io.millrace.simulation;

import io.millrace.Collector;
import io.millrace.window.ProcessWindowFunction;

/** Makes the row of each firing of an account's window. */
final class FiredStatements extends ProcessWindowFunction<Statement, StatementRow, String> {
    @Override
    public void process(String account, Context context, Iterable<Statement> statements, Collector<StatementRow> out) {
        statements.forEach(statement -> out.collect(StatementRow.ofWindow(account, context.window(), statement)));
    }
}
