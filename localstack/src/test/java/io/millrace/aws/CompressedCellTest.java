package io.millrace.aws;

import static io.millrace.aws.ShellFixture.errorOf;
import static io.millrace.aws.ShellFixture.failedAt;
import static org.assertj.core.api.Assertions.assertThat;

import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.ErrorPolicy;
import io.millrace.aws.BatchReport.Count;
import io.millrace.aws.BatchReport.Maximum;
import io.millrace.aws.internal.Items;
import io.millrace.internal.item.ItemSize;
import io.millrace.local.Fault;
import io.millrace.local.FaultInjector;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/** Cells whose states are stored compressed, through whole invocations. */
class CompressedCellTest {
    private static final int REQUESTS_MAX = 100;
    private static final int TEXT = 3_000;

    private static String text(char character, int length) {
        return "\"" + String.valueOf(character).repeat(length) + "\"";
    }

    private static ShellFixture fixture() {
        return new ShellFixture(new Concatenating(ErrorPolicy.deadLetter()), 1);
    }

    private static ObjectNode cell(ShellFixture fixture) {
        return fixture.scan("concatenating-state").get(0);
    }

    private static void store(ShellFixture fixture, ObjectNode cell) {
        fixture.dynamoDb().putItem(put -> put.tableName("concatenating-state").item(Items.toAttributes(cell)));
    }

    private static int length(ShellFixture fixture) {
        return Objects.requireNonNull(fixture.scanBy("key", Concatenating.TABLE).get("all"))
                .path("length")
                .asInt();
    }

    private static byte[] gzip(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    @Test
    void aCompressedCellIsExactlyOnceWhereverItsInvocationDies() {
        for (int requests = 1; requests <= REQUESTS_MAX; requests++) {
            try (ShellFixture fixture = fixture()) {
                fixture.put(0, text('a', TEXT), text('b', TEXT), text('c', TEXT), text('d', TEXT));
                fixture.process(0, 0, 2);
                Fiber<StreamsEventResponse> dying = fixture.fiber(0, 2, 4);
                boolean ended = dying.run(requests);
                if (!ended) {
                    dying.kill();
                }

                fixture.process(0, 2, 4);

                assertThat(cell(fixture).path("state").isBinary()).isTrue();
                assertThat(length(fixture)).as("died after " + requests).isEqualTo(4 * TEXT);
                if (ended) {
                    assertThat(requests).as("requests of an invocation").isGreaterThan(5);
                    return;
                }
            }
        }
        throw new AssertionError("the invocation did not end within " + REQUESTS_MAX + " requests");
    }

    @Test
    void aRedeliveryOverACompressedCellIsSuppressedAndALostResponseIsRecognised() {
        try (ShellFixture fixture = fixture()) {
            fixture.put(0, text('a', TEXT), text('b', TEXT), text('c', TEXT));
            fixture.process(0, 0, 1);
            fixture.setFaults(FaultInjector.scripted()
                    .inject("DynamoDB.TransactWriteItems", 1, Fault.LOST_RESPONSE)
                    .build());
            fixture.process(0, 1, 2);
            fixture.setFaults(null);

            fixture.process(0, 0, 3);
            assertThat(fixture.lastReport().get(Count.DUPLICATES)).isEqualTo(2);
            fixture.process(0, 0, 3);

            assertThat(length(fixture)).isEqualTo(3 * TEXT);
        }
    }

    @Test
    void aCellOfBeforeCompressionIsReadAndCompressedAtItsNextUpdate() {
        try (ShellFixture fixture = fixture()) {
            fixture.put(0, text('a', 10), text('b', 10));
            fixture.process(0, 0, 1);
            ObjectNode plain = cell(fixture);
            assertThat(plain.path("state").path("reduced").asText()).isEqualTo(text('a', 10));
            plain.withObject("/state").put("reduced", text('x', 50_000));
            store(fixture, plain);

            fixture.process(0, 1, 2);

            assertThat(length(fixture)).isEqualTo(50_010);
            assertThat(cell(fixture).path("state").isBinary()).isTrue();
        }
    }

    /** The way that the guide shows: the attribute is text in gzip. */
    @Test
    void aCompressedCellCanBeReadByAnyone() throws IOException {
        try (ShellFixture fixture = fixture()) {
            fixture.put(0, text('a', TEXT));
            fixture.process(0, 0, 1);

            byte[] state = cell(fixture).path("state").binaryValue();

            try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(state))) {
                assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("{\"reduced\":{\"S\":\"\\\"" + "a".repeat(TEXT) + "\\\"\"}}");
            }
        }
    }

    @Test
    void stateOfMoreThanAnItemFitsIfItIsSmallEnoughWhenCompressed() {
        try (ShellFixture fixture = fixture()) {
            fixture.put(0, text('a', 300_000), text('b', 300_000), text('c', 300_000));

            fixture.process(0, 0, 3);

            assertThat(length(fixture)).isEqualTo(900_000);
            assertThat(fixture.deadLetters()).isEmpty();
            assertThat(fixture.lastReport().get(Maximum.CELL_BYTES))
                    .isEqualTo(ItemSize.of(cell(fixture)))
                    .isLessThan(5_000);
        }
    }

    @Test
    void aCellThatClaimsToBeLargerThanAnyFailsTheBatchAndBlamesNoRecord() throws IOException {
        try (ShellFixture fixture = fixture()) {
            fixture.put(0, text('a', TEXT), text('b', TEXT));
            fixture.process(0, 0, 1);
            ObjectNode bomb = cell(fixture);
            bomb.put("state", gzip("{\"reduced\":{\"S\":\"\\\"" + "x".repeat(5_000_000) + "\\\"\"}}"));
            store(fixture, bomb);

            assertThat(errorOf(fixture.invoke(0, 1, 2)))
                    .contains("The cell concatenate#all#1 cannot be read")
                    .contains("takes more than 4096000 bytes");
            assertThat(fixture.deadLetters()).isEmpty();
            assertThat(fixture.lastReport().get(Count.FAILURES)).isZero();
        }
    }

    @Test
    void aPoisonousRecordOfACompressedCellIsGivenUpAndLeavesTheStatesAsTheyWere() {
        try (ShellFixture fixture = fixture()) {
            fixture.put(0, text('a', TEXT), "\"" + RandomText.of(1, 600_000) + "\"", text('c', TEXT));
            fixture.process(0, 0, 1);
            ObjectNode before = cell(fixture);

            fixture.process(0, 1, 2);

            assertThat(fixture.deadLetters()).hasSize(1);
            assertThat(cell(fixture).path("state")).isEqualTo(before.path("state"));
            assertThat(failedAt(fixture.invoke(0, 2, 3))).isNull();
            assertThat(length(fixture)).isEqualTo(2 * TEXT);
        }
    }
}
