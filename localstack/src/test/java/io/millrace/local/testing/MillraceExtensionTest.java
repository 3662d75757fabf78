package io.millrace.local.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.PipelineBuilder;
import io.millrace.PipelineDefinition;
import io.millrace.local.EmbeddedAws;
import io.millrace.local.testing.OrderTotals.Order;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

class MillraceExtensionTest {
    private static final List<PipelineTestDriver> DRIVERS = new ArrayList<>();

    @PipelineTest(value = OrderTotals.class, shards = 2)
    void aTestGetsADriverOfItsPipelineAndTheDriversAws(PipelineTestDriver driver, EmbeddedAws aws) {
        driver.input("orders", Order.class).onShard(1).send(new Order("alice", 10));
        driver.run();
        assertThat(driver.rows("order-totals")).hasSize(1);
        assertThat(aws).isSameAs(driver.aws());
        DRIVERS.add(driver);
    }

    @PipelineTest(OrderTotals.class)
    void eachTestGetsOneOfItsOwn(PipelineTestDriver driver) {
        assertThat(driver.rows("order-totals")).isEmpty();
        DRIVERS.add(driver);
    }

    @AfterAll
    static void driversAreDifferent() {
        assertThat(DRIVERS).doesNotHaveDuplicates().hasSize(2);
    }

    @Nested
    @ExtendWith(MillraceExtension.class)
    class WithoutAPipeline {
        @Test
        void aTestGetsAnAws(EmbeddedAws aws) {
            assertThat(aws.deleteExpiredItems()).isZero();
        }
    }

    @Test
    void aDriverWithoutAPipelineIsRefused() {
        assertThat(failuresOf(Misused.class, "noPipeline"))
                .singleElement()
                .asString()
                .contains("The test noPipeline(PipelineTestDriver) asks for a PipelineTestDriver and names no pipeline."
                        + " Mark it @PipelineTest(YourPipeline.class) instead of @Test.");
    }

    @Test
    void aPipelineThatCannotBeMadeIsRefused() {
        assertThat(failuresOf(Misused.class, "noConstructor"))
                .singleElement()
                .asString()
                .contains("The pipeline io.millrace.local.testing.MillraceExtensionTest$NeedsAName cannot be made: it"
                        + " must be no inner class, and have a constructor without parameters that does not throw.");
    }

    @Test
    void aDriverIsClosedBehindItsTest() {
        assertThat(failuresOf(Misused.class, "keepsItsDriver")).isEmpty();
        PipelineTestDriver kept = Misused.kept;
        assertThat(kept).isNotNull();
        assertThat(java.util.Objects.requireNonNull(kept).isClosed()).isTrue();
    }

    private static List<Throwable> failuresOf(Class<?> testClass, String method) {
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(DiscoverySelectors.selectClass(testClass))
                                .build(),
                        listener);
        assertThat(listener.getSummary().getTestsFoundCount()).isEqualTo(3);
        return listener.getSummary().getFailures().stream()
                .filter(failure -> failure.getTestIdentifier().getDisplayName().startsWith(method + "("))
                .map(failure -> failure.getException())
                .toList();
    }

    /** Tests that only the tests here run. */
    @ExtendWith(MillraceExtension.class)
    static final class Misused {
        private static @Nullable PipelineTestDriver kept;

        @Test
        void noPipeline(PipelineTestDriver driver) {}

        @PipelineTest(NeedsAName.class)
        void noConstructor(PipelineTestDriver driver) {}

        @PipelineTest(OrderTotals.class)
        void keepsItsDriver(PipelineTestDriver driver) {
            kept = driver;
        }
    }

    /** A pipeline without the constructor that it needs. */
    static final class NeedsAName implements PipelineDefinition {
        private final String name;

        NeedsAName(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public void define(PipelineBuilder pipeline) {}
    }
}
