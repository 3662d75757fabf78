package io.millrace;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.serde.Json;
import io.millrace.sink.DynamoDbSink;
import io.millrace.sink.PartitionKey;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.state.StateTtlConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The code of the guide on state, which must be this file's. */
@SuppressWarnings("NullAway.Init") // the guide leaves out what sets up fields outside of constructors
class StateGuideTest {
    private static final Path GUIDE = Path.of("../docs/guides/state.md");
    private static final Path SOURCE = Path.of("src/test/java/io/millrace/StateGuideTest.java");
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    private static final DynamoDbSink<Payment> SUMS = DynamoDbSink.rows("sums", Payment.class);
    private static final DynamoDbSink<Mean> MEANS = DynamoDbSink.rows("means", Mean.class);
    private static final DynamoDbSink<Warning> WARNINGS = DynamoDbSink.rows("warnings", Warning.class);

    record Payment(@PartitionKey String card, String id, String country, long amount) {
        Payment plus(Payment other) {
            return new Payment(card, other.id, other.country, amount + other.amount);
        }
    }

    record Warning(@PartitionKey String card, List<String> countries) {}

    record Mean(@PartitionKey String id, double amount) {
        Mean(double amount) {
            this("all", amount);
        }
    }

    static final class MeanAmount implements AggregateFunction<Payment, MeanAmount.Tally, Double> {
        record Tally(long sum, long count) {}

        @Override
        public Tally createAccumulator() {
            return new Tally(0, 0);
        }

        @Override
        public Tally add(Payment payment, Tally tally) {
            return new Tally(tally.sum() + payment.amount(), tally.count() + 1);
        }

        @Override
        public Double getResult(Tally tally) {
            return (double) tally.sum() / tally.count();
        }

        @Override
        public Tally merge(Tally a, Tally b) {
            return new Tally(a.sum() + b.sum(), a.count() + b.count());
        }
    }

    /** Warns of a card that pays in more than three countries within a day. */
    static final class CountriesOfCard extends KeyedProcessFunction<String, Payment, Warning> {
        private MapState<String, Integer> countries;

        @Override
        public void open(OpenContext openContext) {
            MapStateDescriptor<String, Integer> descriptor =
                    new MapStateDescriptor<>("countries", String.class, Integer.class);
            descriptor.enableTimeToLive(
                    StateTtlConfig.newBuilder(Duration.ofDays(1)).build());
            countries = getRuntimeContext().getMapState(descriptor);
        }

        @Override
        public void processElement(Payment payment, Context ctx, Collector<Warning> out) {
            Integer payments = countries.get(payment.country());
            countries.put(payment.country(), payments == null ? 1 : payments + 1);
            List<String> names = new ArrayList<>();
            countries.keys().forEach(names::add);
            if (names.size() > 3) {
                out.collect(new Warning(ctx.getCurrentKey(), names));
            }
        }
    }

    private static final class Payments implements PipelineDefinition {
        @Override
        public void define(PipelineBuilder pipeline) {
            KeyedStream<String, Payment> payments = pipeline.fromKinesis("payments", Json.of(Payment.class))
                    .keyBy(Payment::card)
                    .deduplicate(Payment::id, Duration.ofHours(1));
            payments.process(new CountriesOfCard()).uid("countries").sinkTo(WARNINGS);
            payments.reduce((sum, payment) -> sum.plus(payment)).uid("sums").sinkTo(SUMS);
            payments.aggregate(new MeanAmount(), MeanAmount.Tally.class)
                    .uid("means")
                    .map(Mean::new)
                    .sinkTo(MEANS);
        }
    }

    @Test
    void examplesArePartOfThisPipelineWhichCanBeBuilt() throws IOException {
        assertThat(PipelineBuilder.plan(new Payments()).stages()).hasSize(3);

        String source = Files.readString(SOURCE);
        Matcher examples = EXAMPLE.matcher(Files.readString(GUIDE));
        int found = 0;
        while (examples.find()) {
            assertThat(source).contains(examples.group(1));
            found++;
        }
        assertThat(found).isEqualTo(3);
    }
}
