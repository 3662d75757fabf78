package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FunctionLogsTest {
    @Test
    void countsAreSummedAndAllElseIsPassedOver() {
        FunctionLogs logs = new FunctionLogs();
        logs.accept("{\"message\":\"Batch processed.\",\"duplicates\":3,\"conflicts\":1,\"other\":{\"duplicates\":9}}");
        logs.accept("{\"message\":\"Batch processed.\",\"duplicates\":4}");
        logs.accept("{\"message\":\"Batch failed.\",\"duplicates\":\"many\"}");
        logs.accept("{\"message\":\"cut, \"duplica");
        logs.accept("duplicates: 100");
        assertThat(logs.sum(FunctionLogs.DUPLICATES)).isEqualTo(7);
        assertThat(logs.sum(FunctionLogs.CONFLICTS)).isEqualTo(1);
        assertThat(logs.sum(FunctionLogs.DEAD_LETTERS)).isZero();
    }
}
