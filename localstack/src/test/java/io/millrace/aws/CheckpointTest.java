package io.millrace.aws;

import static io.millrace.aws.Counting.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.ErrorPolicy;
import io.millrace.MillraceException;
import io.millrace.aws.internal.Deadline;
import io.millrace.local.ManualClock;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkRequest;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Checkpoints and restores, on an embedded AWS: what a restored pipeline makes of its records. */
class CheckpointTest {
    private static final String BUCKET = "counting-checkpoints";

    private final Counting pipeline = Counting.harmless();

    /** Runs something just before the first request of a kind; others of that kind wait for it. */
    private static final class AtFirst implements ExecutionInterceptor {
        private final Predicate<SdkRequest> kind;
        private final Runnable action;
        private final AtomicBoolean done = new AtomicBoolean();

        AtFirst(Predicate<SdkRequest> kind, Runnable action) {
            this.kind = kind;
            this.action = action;
        }

        @Override
        public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
            if (kind.test(context.request())) {
                runOnce();
            }
        }

        private synchronized void runOnce() {
            if (done.compareAndSet(false, true)) {
                action.run();
            }
        }
    }

    private static boolean isScan(SdkRequest request) {
        return request instanceof ScanRequest;
    }

    private static boolean isScanOfDeadLetters(SdkRequest request) {
        return request instanceof ScanRequest scan && scan.tableName().endsWith("dead-letters");
    }

    private static boolean isPutOfACell(SdkRequest request) {
        return request instanceof PutItemRequest put && put.tableName().equals("counting-state");
    }

    /** The death of a process, which is no exception that anybody handles. */
    private static final class Died extends Error {
        private static final long serialVersionUID = 1;
    }

    /** Ends the process before its n-th request, or just after it took effect. */
    private static final class DyingAt implements ExecutionInterceptor {
        private final int request;
        private final boolean after;
        private final AtomicInteger requests = new AtomicInteger();

        DyingAt(int request, boolean after) {
            this.request = request;
            this.after = after;
        }

        @Override
        public void beforeExecution(Context.BeforeExecution context, ExecutionAttributes attributes) {
            int number = requests.incrementAndGet();
            if (number > request || (number == request && !after)) {
                throw new Died();
            }
        }

        @Override
        public void afterExecution(Context.AfterExecution context, ExecutionAttributes attributes) {
            if (requests.get() >= request && after) {
                throw new Died();
            }
        }
    }

    private static Map<String, Long> sums(ShellFixture fixture, long generation) {
        Map<String, Long> sums = new TreeMap<>();
        for (ObjectNode cell : fixture.scan("counting-state")) {
            if (cell.path("pk").asText().endsWith("#" + generation)) {
                sums.put(cell.path("key").asText(), sumOf(cell));
            }
        }
        return sums;
    }

    private static long sumOf(ObjectNode cell) {
        String totals = cell.path("state").path("totals").asText();
        return Long.parseLong(totals.replaceAll(".*\"sum\":([0-9]+).*", "$1"));
    }

    private static Map<String, Long> rows(ShellFixture fixture) {
        Map<String, Long> sums = new TreeMap<>();
        fixture.scan(Counting.TABLE)
                .forEach(row ->
                        sums.put(row.path("key").asText(), row.path("sum").asLong()));
        return sums;
    }

    private static void putTen(ShellFixture fixture) {
        IntStream.range(0, 10).forEach(i -> fixture.put(0, event("key-" + i % 4, i)));
    }

    private Checkpoints checkpoints(ShellFixture fixture) {
        return fixture.checkpoints(pipeline);
    }

    /**
     * Cells that are scanned late have absorbed more than the cut says: their fences leave it out of the replay. Those that were
     * scanned early have not: the cut is from before the scan.
     */
    @Test
    void recordsThatArriveWhileItIsTakenAreNeitherLostNorCountedTwice() {
        List<Predicate<SdkRequest>> moments = List.of(CheckpointTest::isScan, CheckpointTest::isScanOfDeadLetters);
        for (Predicate<SdkRequest> moment : moments) {
            try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
                putTen(fixture);
                fixture.process(0, 0, 4);
                StoredCheckpoint taken = fixture.checkpoints(
                                pipeline, new AtFirst(moment, () -> fixture.process(0, 4, 8)))
                        .take();
                fixture.process(0, 8, 10);
                Map<String, Long> all = sums(fixture, 1);

                RestoreReport report = checkpoints(fixture).restore(taken.id()).run();

                assertThat(report.generation()).isEqualTo(2);
                assertThat(report.cells()).isEqualTo(4);
                assertThat(sums(fixture, 2)).isNotEqualTo(all);
                fixture.process(0, 0, 10);
                assertThat(sums(fixture, 2)).isEqualTo(all);
                assertThat(rows(fixture)).isEqualTo(all);
            }
        }
    }

    @Test
    void aRestoredPipelineGoesBackToTheCheckpoint() {
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            putTen(fixture);
            fixture.process(0, 0, 5);
            Map<String, Long> then = sums(fixture, 1);
            checkpoints(fixture).takeSavepoint("half");
            fixture.process(0, 5, 10);
            Map<String, Long> all = sums(fixture, 1);

            RestoreReport checked = checkpoints(fixture).restore("half").check();
            assertThat(checked.generation()).as("nothing changed").isEqualTo(1);
            assertThat(sums(fixture, 2)).isEmpty();

            checkpoints(fixture).restore("half").run();
            assertThat(sums(fixture, 2)).isEqualTo(then);
            assertThat(sums(fixture, 1)).as("the old generation stays").isEqualTo(all);
            fixture.process(0, 3, 10);
            assertThat(sums(fixture, 2)).isEqualTo(all);

            assertThat(checkpoints(fixture).generations())
                    .extracting(StoredGeneration::number, StoredGeneration::isCurrent, StoredGeneration::checkpoint)
                    .containsExactly(
                            tuple(1L, false, Optional.empty()), tuple(2L, true, Optional.of("savepoint-half")));
        }
    }

    @Test
    void aCheckpointThatDiesAnywhereIsGoneOnWith() {
        for (boolean after : List.of(false, true)) {
            for (int request = 1; ; request++) {
                try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
                    putTen(fixture);
                    fixture.process(0, 0, 10);
                    boolean died = isDead(fixture, request, after, Checkpoints::take);
                    fixture.process(0, 0, 10);

                    StoredCheckpoint taken = checkpoints(fixture).take();

                    assertThat(taken.cells()).as("request " + request).containsEntry("count", 4L);
                    assertThat(checkpoints(fixture).restore(taken.id()).run().cells())
                            .isEqualTo(4);
                    assertThat(sums(fixture, 2)).as("request " + request).isEqualTo(sums(fixture, 1));
                    if (!died) {
                        assertThat(request).isGreaterThan(10);
                        break;
                    }
                }
            }
        }
    }

    @Test
    void aRestoreThatDiesAnywhereIsRunAgain() {
        for (boolean after : List.of(false, true)) {
            for (int request = 1; ; request++) {
                try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
                    putTen(fixture);
                    fixture.process(0, 0, 5);
                    StoredCheckpoint taken = checkpoints(fixture).take();
                    fixture.process(0, 5, 10);
                    Map<String, Long> all = sums(fixture, 1);
                    boolean died = isDead(
                            fixture,
                            request,
                            after,
                            dying -> dying.restore(taken.id()).run());
                    if (checkpoints(fixture).generations().size() == 1) {
                        checkpoints(fixture).restore(taken.id()).run();
                    }

                    fixture.process(0, 0, 10);

                    assertThat(sums(fixture, 2)).as("request " + request).isEqualTo(all);
                    assertThat(rows(fixture)).isEqualTo(all);
                    if (!died) {
                        assertThat(request).isGreaterThan(10);
                        break;
                    }
                }
            }
        }
    }

    private interface Work {
        void with(Checkpoints checkpoints);
    }

    private boolean isDead(ShellFixture fixture, int request, boolean after, Work work) {
        try {
            work.with(fixture.checkpoints(pipeline, new DyingAt(request, after)));
            return false;
        } catch (Died died) {
            return true;
        }
    }

    /** One that comes late must not put what it read over what was processed since. */
    @Test
    void aRestoreThatComesLateChangesNothing() {
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            putTen(fixture);
            fixture.process(0, 0, 5);
            StoredCheckpoint taken = checkpoints(fixture).take();
            fixture.process(0, 5, 10);
            Map<String, Long> all = sums(fixture, 1);
            Checkpoints late = fixture.checkpoints(pipeline, new AtFirst(CheckpointTest::isPutOfACell, () -> {
                checkpoints(fixture).restore(taken.id()).run();
                fixture.process(0, 0, 10);
            }));

            late.restore(taken.id()).run();

            assertThat(sums(fixture, 2)).isEqualTo(all);
            assertThat(checkpoints(fixture).generations()).hasSize(2);
            fixture.process(0, 0, 10);
            assertThat(sums(fixture, 2)).isEqualTo(all);
        }
    }

    @Test
    void nothingIsProcessedWhileARestoreIsUnderWay() {
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            putTen(fixture);
            fixture.process(0, 0, 5);
            StoredCheckpoint taken = checkpoints(fixture).take();
            AtomicReference<String> error = new AtomicReference<>("");
            fixture.checkpoints(
                            pipeline,
                            new AtFirst(
                                    CheckpointTest::isPutOfACell,
                                    () -> error.set(ShellFixture.errorOf(fixture.invoke(0, 5, 10)))))
                    .restore(taken.id())
                    .run();
            assertThat(error.get()).contains("it is being restored from checkpoint " + taken.id());
            fixture.process(0, 5, 10);
            assertThat(sums(fixture, 2).values().stream()
                            .mapToLong(Long::longValue)
                            .sum())
                    .isEqualTo(45);
        }
    }

    /** Another run goes on where the time was up; each puts at least one object or page more. */
    @Test
    void aCheckpointGoesOnOverSeveralInvocations() {
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            putTen(fixture);
            fixture.process(0, 0, 10);
            Checkpoints checkpoints = checkpoints(fixture);
            String id = null;
            Optional<StoredCheckpoint> complete = Optional.empty();
            for (int run = 1; complete.isEmpty(); run++) {
                assertThat(run).isLessThan(20);
                // Time enough for a page.
                AtomicInteger asked = new AtomicInteger();
                Checkpoints.Taken taken =
                        checkpoints.take(new Deadline(() -> asked.incrementAndGet() < 4 ? 60_000 : 0));
                assertThat(id == null || id.equals(taken.id()))
                        .as("the same checkpoint")
                        .isTrue();
                id = taken.id();
                complete = taken.checkpoint();
                assertThat(complete.isEmpty() || run > 1).as("it took several").isTrue();
            }
            assertThat(complete.get().cells()).containsEntry("count", 4L);
            assertThat(checkpoints.take().id()).as("the next one is another").isNotEqualTo(id);
        }
    }

    @Test
    void aFlippedByteIsRefusedByName() {
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            putTen(fixture);
            fixture.process(0, 0, 10);
            StoredCheckpoint taken = checkpoints(fixture).take();
            S3Object object = fixture.s3().listObjectsV2(list -> list.bucket(BUCKET)).contents().stream()
                    .filter(found -> found.key().endsWith(".gz"))
                    .findFirst()
                    .orElseThrow();
            byte[] bytes = fixture.s3()
                    .getObjectAsBytes(get -> get.bucket(BUCKET).key(object.key()))
                    .asByteArray();
            bytes[bytes.length / 2] ^= 1;
            fixture.s3().putObject(put -> put.bucket(BUCKET).key(object.key()), RequestBody.fromBytes(bytes));

            for (boolean dryRun : List.of(true, false)) {
                Checkpoints.Restore restore = checkpoints(fixture).restore(taken.id());
                assertThatThrownBy(() -> {
                            if (dryRun) {
                                restore.check();
                            } else {
                                restore.run();
                            }
                        })
                        .isInstanceOf(MillraceException.class)
                        .hasMessageContaining("is damaged: the object s3://" + BUCKET + "/" + object.key());
            }
            fixture.s3().deleteObject(delete -> delete.bucket(BUCKET).key(object.key()));
            assertThatThrownBy(() -> checkpoints(fixture).restore(taken.id()).run())
                    .hasMessageContaining(object.key() + " is missing");
            assertThat(checkpoints(fixture).generations())
                    .as("nothing has changed")
                    .hasSize(1);
            fixture.process(0, 0, 10);
        }
    }

    private static void change(ShellFixture fixture, String id, UnaryOperator<String> manifest) {
        String key = "counting/" + id + "/manifest.json";
        String text = fixture.s3()
                .getObjectAsBytes(get -> get.bucket(BUCKET).key(key))
                .asUtf8String();
        assertThat(manifest.apply(text)).isNotEqualTo(text);
        fixture.s3().putObject(put -> put.bucket(BUCKET).key(key), RequestBody.fromString(manifest.apply(text)));
    }

    @Test
    void newerFormatsAndOtherPipelinesAreRefused() {
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            putTen(fixture);
            fixture.process(0, 0, 10);
            StoredCheckpoint newer = checkpoints(fixture).take();
            change(fixture, newer.id(), text -> text.replaceFirst("\"formatVersion\" : 1", "\"formatVersion\" : 2"));
            assertThatThrownBy(() -> checkpoints(fixture).restore(newer.id()).run())
                    .hasMessageContaining("is of format 2, and this version of Millrace reads up to 1");

            StoredCheckpoint foreign = checkpoints(fixture).takeSavepoint("foreign");
            change(fixture, foreign.id(), text -> text.replace("\"pipeline\" : \"counting\"", "\"pipeline\" : \"x\""));
            assertThatThrownBy(() -> checkpoints(fixture).restore("foreign").run())
                    .hasMessageContaining("is of pipeline 'x', not of 'counting'");
            assertThatThrownBy(() -> checkpoints(fixture).restore("none").run())
                    .hasMessageContaining("There is no complete checkpoint or savepoint 'none'");
        }
    }

    @Test
    void stateOfAStageThatIsGoneIsRefusedUnlessItMayBeLeft() {
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            putTen(fixture);
            fixture.process(0, 0, 10);
            StoredCheckpoint taken = checkpoints(fixture).take();
            change(fixture, taken.id(), text -> text.replace("\"count\" : 4", "\"count\" : 4, \"old\" : 3"));

            assertThatThrownBy(() -> checkpoints(fixture).restore(taken.id()).run())
                    .hasMessageContaining("has state of the stages [old], and the pipeline has [count] only");
            RestoreReport report = checkpoints(fixture)
                    .restore(taken.id())
                    .allowNonRestoredState(true)
                    .run();
            assertThat(report.stagesLeft()).containsExactly("old");
            assertThat(report.cells()).isEqualTo(4);
        }
    }

    /** Rows of the timeline that was left could not be told from good ones. */
    @Test
    void checkpointsOffTheTimelineAreRefused() {
        ManualClock clock = new ManualClock();
        try (ShellFixture fixture = new ShellFixture(pipeline, 1, clock)) {
            putTen(fixture);
            fixture.process(0, 0, 4);
            StoredCheckpoint early = checkpoints(fixture).take();
            clock.advance(Duration.ofSeconds(1));
            fixture.process(0, 4, 6);
            StoredCheckpoint branching = checkpoints(fixture).take();
            clock.advance(Duration.ofSeconds(1));
            fixture.process(0, 6, 8);
            StoredCheckpoint abandoned = checkpoints(fixture).take();
            clock.advance(Duration.ofSeconds(1));
            checkpoints(fixture).restore(branching.id()).run();

            assertThatThrownBy(
                            () -> checkpoints(fixture).restore(abandoned.id()).run())
                    .hasMessageContaining("is not of the timeline that led to the current generation 2");

            fixture.process(0, 4, 10);
            StoredCheckpoint ofSecond = checkpoints(fixture).take();
            assertThat(checkpoints(fixture).restore(branching.id()).run().generation())
                    .isEqualTo(3);
            assertThatThrownBy(() -> checkpoints(fixture).restore(ofSecond.id()).run())
                    .hasMessageContaining("generation 2 is none of its ancestors");
            assertThat(checkpoints(fixture).restore(early.id()).run().generation())
                    .isEqualTo(4);
            fixture.process(0, 2, 10);
            assertThat(sums(fixture, 4).values().stream()
                            .mapToLong(Long::longValue)
                            .sum())
                    .isEqualTo(45);
        }
    }

    @Test
    void aStreamThatDoesNotHoldWhatComesBehindIsRefused() {
        ManualClock clock = new ManualClock();
        try (ShellFixture fixture = new ShellFixture(pipeline, 1, clock)) {
            putTen(fixture);
            fixture.process(0, 0, 5);
            StoredCheckpoint taken = checkpoints(fixture).take();
            fixture.process(0, 5, 10);
            clock.advance(Duration.ofHours(25));
            assertThatThrownBy(() -> checkpoints(fixture).restore(taken.id()).run())
                    .hasMessageContaining(
                            "cannot be restored, since what came behind it is not in the stream any more: lane"
                                    + " events/shardId-000000000000 was at ");
            StoredCheckpoint later = checkpoints(fixture).take();
            assertThat(checkpoints(fixture).restore(later.id()).run().generation())
                    .as("nothing came behind it")
                    .isEqualTo(2);
        }
    }

    /** Those that the restored cells account for come back; the others are given up again by the replay. */
    @Test
    void deadLettersComeBackWithTheCellsThatAccountForThem() {
        AtomicBoolean bad = new AtomicBoolean(true);
        Counting failing = new Counting(
                value -> {
                    if (bad.get() && value % 5 == 4) {
                        throw new IllegalStateException("bad " + value);
                    }
                },
                ErrorPolicy.deadLetter());
        try (ShellFixture fixture = new ShellFixture(failing, 1)) {
            putTen(fixture);
            fixture.process(0, 0, 6);
            assertThat(fixture.deadLetters()).hasSize(1);
            // The second one is put when the cells are scanned, and the dead letters are not.
            StoredCheckpoint taken = fixture.checkpoints(
                            failing, new AtFirst(CheckpointTest::isScanOfDeadLetters, () -> fixture.process(0, 6, 10)))
                    .take();
            assertThat(fixture.deadLetters()).hasSize(2);
            assertThat(taken.deadLetters()).isEqualTo(2);

            assertThat(fixture.checkpoints(failing).restore(taken.id()).run().deadLetters())
                    .isEqualTo(1);
            bad.set(false);
            fixture.process(0, 6, 10);

            List<ObjectNode> open = fixture.deadLetters().stream()
                    .filter(letter -> letter.path("generation").asInt() == 2)
                    .toList();
            assertThat(open).hasSize(1);
            assertThat(open.get(0).path("error").asText()).contains("bad 4");
            DeadLetters operator = fixture.operator(failing, builder -> builder);
            assertThat(operator.redrive(operator.list(DeadLetterFilter.all())
                            .iterator()
                            .next()
                            .id()))
                    .isInstanceOf(RedriveOutcome.Redriven.class);
            assertThat(sums(fixture, 2).values().stream()
                            .mapToLong(Long::longValue)
                            .sum())
                    .isEqualTo(45);
        }
    }

    /** The letter was closed behind the scan of its cell: then the cell does not have it, and it is open again. */
    @Test
    void aRedriveThatTheCellsDoNotKnowIsOpenAgainAndOneThatTheyKnowIsDone() {
        for (boolean known : List.of(true, false)) {
            AtomicBoolean bad = new AtomicBoolean(true);
            Counting failing = new Counting(
                    value -> {
                        if (bad.get()) {
                            throw new IllegalStateException("bad " + value);
                        }
                    },
                    ErrorPolicy.deadLetter());
            try (ShellFixture fixture = new ShellFixture(failing, 1)) {
                fixture.put(0, event("k", 7));
                fixture.process(0, 0, 1);
                bad.set(false);
                DeadLetters operator = fixture.operator(failing, builder -> builder);
                String id =
                        operator.list(DeadLetterFilter.all()).iterator().next().id();
                Runnable redrive = () -> assertThat(operator.redrive(id)).isInstanceOf(RedriveOutcome.Redriven.class);
                if (known) {
                    redrive.run();
                }
                StoredCheckpoint taken = fixture.checkpoints(
                                failing, new AtFirst(CheckpointTest::isScanOfDeadLetters, () -> {
                                    if (!known) {
                                        redrive.run();
                                    }
                                }))
                        .take();
                fixture.checkpoints(failing).restore(taken.id()).run();

                RedriveOutcome again = operator.redrive(id);
                assertThat(again)
                        .as("known: " + known)
                        .isInstanceOf(known ? RedriveOutcome.ClosedBefore.class : RedriveOutcome.Redriven.class);
                assertThat(sums(fixture, 2)).containsEntry("k", 7L);
            }
        }
    }

    @Test
    void oldCheckpointsGoAndSavepointsStay() {
        ManualClock clock = new ManualClock();
        try (ShellFixture fixture = new ShellFixture(pipeline, 1, clock)) {
            putTen(fixture);
            fixture.process(0, 0, 10);
            Checkpoints checkpoints = checkpoints(fixture);
            StoredCheckpoint savepoint = checkpoints.takeSavepoint("kept");
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                clock.advance(Duration.ofMinutes(1));
                ids.add(checkpoints.take().id());
            }
            assertThat(checkpoints.list())
                    .extracting(StoredCheckpoint::id)
                    .containsExactly(savepoint.id(), ids.get(0), ids.get(1), ids.get(2), ids.get(3));

            assertThat(checkpoints.retain(2)).containsExactly(ids.get(0), ids.get(1));

            assertThat(checkpoints.list())
                    .extracting(StoredCheckpoint::id)
                    .containsExactly(savepoint.id(), ids.get(2), ids.get(3));
            assertThatThrownBy(() -> checkpoints.takeSavepoint("kept")).hasMessageContaining("already");
            assertThatThrownBy(() -> checkpoints.takeSavepoint("no/name")).hasMessageContaining("is no name");
            checkpoints.delete("kept");
            assertThat(checkpoints.find("kept")).isEmpty();
            assertThatThrownBy(() -> checkpoints.delete("kept")).hasMessageContaining("There is no checkpoint 'kept'");
            assertThat(fixture.s3().listObjectsV2(list -> list.bucket(BUCKET)).contents())
                    .noneMatch(object -> object.key().contains("kept"));
        }
    }

    @Test
    void anOldGenerationIsDroppedAndTheCurrentOneIsNot() {
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            putTen(fixture);
            fixture.process(0, 0, 10);
            Map<String, Long> all = sums(fixture, 1);
            checkpoints(fixture).restore(checkpoints(fixture).take().id()).run();
            assertThatThrownBy(() -> checkpoints(fixture).dropGeneration(2)).hasMessageContaining("is the current one");
            assertThatThrownBy(() -> checkpoints(fixture).dropGeneration(3))
                    .hasMessageContaining("There is no generation 3");

            assertThat(checkpoints(fixture).dropGeneration(1)).isGreaterThan(4);

            assertThat(sums(fixture, 1)).isEmpty();
            assertThat(sums(fixture, 2)).isEqualTo(all);
            fixture.process(0, 0, 10);
            assertThat(sums(fixture, 2)).isEqualTo(all);
        }
    }

    /** One record a line, which tools that know DynamoDB's exports read. */
    @Test
    void anObjectHasAnItemALineInDynamoDbsJson() throws Exception {
        try (ShellFixture fixture = new ShellFixture(pipeline, 1)) {
            putTen(fixture);
            fixture.process(0, 0, 10);
            StoredCheckpoint taken = checkpoints(fixture).take();
            List<String> lines = new ArrayList<>();
            for (S3Object object :
                    fixture.s3().listObjectsV2(list -> list.bucket(BUCKET)).contents()) {
                if (object.key().endsWith(".jsonl.gz")) {
                    byte[] bytes = fixture.s3()
                            .getObjectAsBytes(get -> get.bucket(BUCKET).key(object.key()))
                            .asByteArray();
                    lines.addAll(new String(
                                    new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes(),
                                    StandardCharsets.UTF_8)
                            .lines()
                            .toList());
                }
            }
            assertThat(lines).hasSize(4).allMatch(line -> line.startsWith("{\"Item\":{\"fence\":{\"M\":{"));
            assertThat(taken.objects()).isPositive();
            assertThat(taken.bytes()).isPositive();
        }
    }
}
