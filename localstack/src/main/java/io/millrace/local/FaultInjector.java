package io.millrace.local;

import io.millrace.local.internal.faults.AwsRequest;
import io.millrace.local.internal.faults.FaultChooser;
import io.millrace.local.internal.faults.FaultResponses;
import io.millrace.local.internal.faults.ResponseRewriting;
import io.millrace.local.internal.faults.ResponseRewriting.Buffered;
import io.millrace.local.internal.faults.ScriptedFaults;
import io.millrace.local.internal.faults.SeededFaults;
import io.millrace.local.internal.faults.TransactionTokens;
import io.millrace.local.internal.wire.RequestIds;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;

/**
 * Injects the faults of AWS and of the network between the SDK and any endpoint. It decorates the SDK's HTTP client, so
 * it sits below the SDK's own retries. Only what AWS can answer is injected, in the wire format of the request.
 *
 * <p>A lost response to a {@code PutRecord} makes the SDK put a second record, as on AWS: a producer that must not
 * duplicate is left undecorated, or its operations are spared. So does one to a conditional {@code PutObject}: the SDK
 * repeats it, and the answer is 412 because of the first.
 *
 * <p>Given the same seed or rules and the same order of requests and answers, the faults are the same. Thread-safe.
 */
public final class FaultInjector {
    private static final int IN_PROGRESS_ANSWERS_MAX = 2;

    private final FaultChooser chooser;
    private final RequestIds requestIds;
    private final double latencyProbability;
    private final Duration latencyMax;
    private final Consumer<Duration> latencyHook;
    private final int emptyReadsMax;
    private final TransactionTokens tokens = new TransactionTokens();
    private final Map<String, Integer> emptyReadsLeft = new ConcurrentHashMap<>();
    private final Map<Fault, LongAdder> counts = new EnumMap<>(Fault.class);
    private volatile boolean quiet;

    private FaultInjector(
            FaultChooser chooser,
            long seed,
            double latencyProbability,
            Duration latencyMax,
            Consumer<Duration> latencyHook,
            int emptyReadsMax) {
        this.chooser = chooser;
        this.requestIds = new RequestIds(seed);
        this.latencyProbability = latencyProbability;
        this.latencyMax = latencyMax;
        this.latencyHook = latencyHook;
        this.emptyReadsMax = emptyReadsMax;
        for (Fault fault : Fault.values()) {
            counts.put(fault, new LongAdder());
        }
    }

    /** An injector with the default probabilities. */
    public static FaultInjector seeded(long seed) {
        return builder(seed).build();
    }

    /** An injector by probabilities. */
    public static Builder builder(long seed) {
        return new Builder(seed);
    }

    /** An injector by rules. */
    public static Script scripted() {
        return new Script();
    }

    /** The client with faults. Closing it closes {@code client}. */
    public SdkHttpClient decorate(SdkHttpClient client) {
        return decorate(client, () -> null);
    }

    /** The client with faults, as one container of a function has it: its requests die with the container's invocation. */
    public SdkHttpClient decorate(SdkHttpClient client, Supplier<@Nullable InvocationScope> scope) {
        return new SdkHttpClient() {
            @Override
            public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
                ExecutableHttpRequest prepared = client.prepareRequest(request);
                return new ExecutableHttpRequest() {
                    @Override
                    public HttpExecuteResponse call() throws IOException {
                        @Nullable InvocationScope invocation = scope.get();
                        if (invocation != null) {
                            invocation.admitRequest();
                        }
                        return execute(AwsRequest.of(request, requestIds.next()), prepared);
                    }

                    @Override
                    public void abort() {
                        prepared.abort();
                    }
                };
            }

            @Override
            public String clientName() {
                return client.clientName();
            }

            @Override
            public void close() {
                client.close();
            }
        };
    }

    /** Stops all injection: every request from now on passes untouched. Dead invocations stay dead. */
    public void quiesce() {
        quiet = true;
    }

    /** How often each fault was injected. */
    public Map<Fault, Long> injected() {
        Map<Fault, Long> injected = new EnumMap<>(Fault.class);
        counts.forEach((fault, count) -> injected.put(fault, count.sum()));
        return injected;
    }

    private HttpExecuteResponse execute(AwsRequest request, ExecutableHttpRequest prepared) throws IOException {
        if (quiet) {
            return prepared.call();
        }
        delay();
        String token = request.token();
        if (tokens.repeatWhileRunning(token)) {
            count(Fault.TRANSACTION_IN_PROGRESS);
            return FaultResponses.transactionInProgress(request);
        }
        String iterator = request.shardIterator();
        if (emptyReadsLeft.containsKey(iterator)) {
            emptyReadsLeft.computeIfPresent(iterator, (same, left) -> left > 1 ? left - 1 : null);
            return emptyRead(request, prepared);
        }
        @Nullable Fault fault = chooser.choose(request.operation());
        return fault == null || !fault.canHit(request.operation())
                ? forward(token, prepared)
                : inject(fault, request, prepared);
    }

    private HttpExecuteResponse inject(Fault fault, AwsRequest request, ExecutableHttpRequest prepared)
            throws IOException {
        String token = request.token();
        return switch (fault) {
            case LOST_RESPONSE -> throw lostResponse(token, prepared);
            case LOST_REQUEST -> {
                count(fault);
                throw new SocketException("Connection reset (injected before the request was executed)");
            }
            case INTERNAL_SERVER_ERROR -> {
                count(fault);
                yield FaultResponses.internalServerError(request);
            }
            case LATENCY -> {
                count(fault);
                latencyHook.accept(latencyMax);
                yield forward(token, prepared);
            }
            case THROTTLE -> {
                count(fault);
                yield throttle(request, token);
            }
            case TRANSACTION_CONFLICT -> {
                if (tokens.wasExecuted(token)) {
                    yield forward(token, prepared);
                }
                count(fault);
                yield FaultResponses.transactionConflict(request, chooser.nextInt(Integer.MAX_VALUE));
            }
            case TRANSACTION_IN_PROGRESS -> {
                if (token.isEmpty() || tokens.wasExecuted(token)) {
                    yield forward(token, prepared);
                }
                IOException lost = lostResponse(token, prepared);
                if (tokens.wasExecuted(token)) {
                    tokens.running(token, 1 + chooser.nextInt(IN_PROGRESS_ANSWERS_MAX));
                }
                throw lost;
            }
            case UNPROCESSED_KEYS -> unprocessedKeys(request, prepared);
            case EMPTY_READ -> {
                int more = chooser.nextInt(emptyReadsMax);
                if (more > 0) {
                    emptyReadsLeft.put(request.shardIterator(), more);
                }
                yield emptyRead(request, prepared);
            }
            case EXPIRED_ITERATOR -> {
                count(fault);
                yield FaultResponses.expiredIterator(request);
            }
        };
    }

    private HttpExecuteResponse forward(String token, ExecutableHttpRequest prepared) throws IOException {
        HttpExecuteResponse response = prepared.call();
        if (response.httpResponse().isSuccessful()) {
            tokens.executed(token);
        }
        return response;
    }

    /** Executes the request and drops its answer. */
    private IOException lostResponse(String token, ExecutableHttpRequest prepared) throws IOException {
        Buffered response = Buffered.of(forward(token, prepared));
        count(Fault.LOST_RESPONSE);
        return new SocketException("Connection reset (injected after the request was "
                + (response.successful() ? "executed)" : "answered with an error)"));
    }

    private HttpExecuteResponse throttle(AwsRequest request, String token) {
        int variant = chooser.nextInt(3);
        boolean cancel =
                variant == 0 && request.operation().equals("DynamoDB.TransactWriteItems") && !tokens.wasExecuted(token);
        return cancel
                ? FaultResponses.throttledTransaction(request, chooser.nextInt(Integer.MAX_VALUE))
                : FaultResponses.throttle(request, variant);
    }

    private HttpExecuteResponse unprocessedKeys(AwsRequest request, ExecutableHttpRequest prepared) throws IOException {
        Buffered response = Buffered.of(prepared.call());
        Optional<HttpExecuteResponse> poorer =
                ResponseRewriting.withUnprocessedKeys(request, response, () -> chooser.nextInt(2) == 1);
        return counted(Fault.UNPROCESSED_KEYS, poorer, response);
    }

    private HttpExecuteResponse emptyRead(AwsRequest request, ExecutableHttpRequest prepared) throws IOException {
        Buffered response = Buffered.of(prepared.call());
        return counted(Fault.EMPTY_READ, ResponseRewriting.withoutRecords(request, response), response);
    }

    private HttpExecuteResponse counted(Fault fault, Optional<HttpExecuteResponse> poorer, Buffered response) {
        poorer.ifPresent(rewritten -> count(fault));
        return poorer.orElseGet(response::original);
    }

    private void delay() {
        if (latencyProbability > 0 && chooser.nextInt(1_000_000) < latencyProbability * 1_000_000) {
            count(Fault.LATENCY);
            long nanosMax = latencyMax.toNanos();
            latencyHook.accept(Duration.ofNanos(nanosMax / 1000 * (1 + chooser.nextInt(1000))));
        }
    }

    private void count(Fault fault) {
        LongAdder count = counts.get(fault);
        if (count != null) {
            count.increment();
        }
    }

    private static void park(Duration latency) {
        LockSupport.parkNanos(latency.toNanos());
    }

    private static int atLeastOne(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + " is " + value + "; it must be at least 1");
        }
        return value;
    }

    /** Configures an injector by probabilities. Not thread-safe. */
    public static final class Builder {
        private final long seed;
        private final Map<Fault, Double> probabilities = new EnumMap<>(Fault.class);
        private final Set<String> sparedOperations = new HashSet<>();
        private double latencyProbability;
        private Duration latencyMax = Duration.ZERO;
        private Consumer<Duration> latencyHook = FaultInjector::park;
        private int emptyReadsMax = 3;

        private Builder(long seed) {
            this.seed = seed;
            probabilities.put(Fault.LOST_RESPONSE, 0.02);
            probabilities.put(Fault.LOST_REQUEST, 0.02);
            probabilities.put(Fault.INTERNAL_SERVER_ERROR, 0.01);
            probabilities.put(Fault.THROTTLE, 0.03);
            probabilities.put(Fault.TRANSACTION_CONFLICT, 0.03);
            probabilities.put(Fault.TRANSACTION_IN_PROGRESS, 0.02);
            probabilities.put(Fault.UNPROCESSED_KEYS, 0.10);
            probabilities.put(Fault.EMPTY_READ, 0.05);
            probabilities.put(Fault.EXPIRED_ITERATOR, 0.02);
        }

        /** Starts over without any fault. */
        public Builder none() {
            probabilities.clear();
            return this;
        }

        /** The probability, 0 to 1, that a request which can meet the fault meets it; latency has a setting of its own. */
        public Builder probability(Fault fault, double value) {
            if (fault == Fault.LATENCY) {
                throw new IllegalArgumentException("LATENCY has no bare probability; use latency(probability, max)");
            }
            probabilities.put(fault, checkedProbability(fault, value));
            return this;
        }

        private static double checkedProbability(Fault fault, double value) {
            if (!(value >= 0 && value <= 1)) {
                throw new IllegalArgumentException(
                        "The probability of " + fault + " is " + value + "; it must lie between 0 and 1");
            }
            return value;
        }

        /** Delays requests by a random time up to {@code max}, beside all other faults; default never. */
        public Builder latency(double probability, Duration max) {
            latencyProbability = checkedProbability(Fault.LATENCY, probability);
            latencyMax = max;
            return this;
        }

        /** What passes the time of a delay; default parks the thread. */
        public Builder latencyHook(Consumer<Duration> value) {
            latencyHook = value;
            return this;
        }

        /** The most empty reads in a row of a shard that does have records, default 3. */
        public Builder emptyReadsMax(int value) {
            emptyReadsMax = atLeastOne("emptyReadsMax", value);
            return this;
        }

        /** Operations that meet no fault, as {@code Kinesis.PutRecords}. */
        public Builder spare(String... operations) {
            sparedOperations.addAll(List.of(operations));
            return this;
        }

        public FaultInjector build() {
            return new FaultInjector(
                    new SeededFaults(seed, probabilities, sparedOperations),
                    seed,
                    latencyProbability,
                    latencyMax,
                    latencyHook,
                    emptyReadsMax);
        }
    }

    /** Configures an injector by rules. Not thread-safe. */
    public static final class Script {
        private final List<ScriptedFaults.Rule> rules = new ArrayList<>();
        private Consumer<Duration> latencyHook = FaultInjector::park;
        private Duration latency = Duration.ofMillis(10);
        private int emptyReads = 1;

        private Script() {}

        /** The n-th request (1 is the first) of an operation, as {@code DynamoDB.TransactWriteItems}, meets the fault. */
        public Script inject(String operation, int number, Fault fault) {
            return inject(operation, number, number, fault);
        }

        /** The first to last of the given requests of an operation meet the fault. */
        public Script inject(String operation, int first, int last, Fault fault) {
            atLeastOne("The number of a request", first);
            if (last < first) {
                throw new IllegalArgumentException("The requests " + first + " to " + last + " are none");
            }
            if (!operation.contains(".") || !fault.canHit(operation)) {
                throw new IllegalArgumentException(operation + " cannot meet " + fault
                        + " on AWS; operations are named as DynamoDB.GetItem, Kinesis.GetRecords or S3.PutObject");
            }
            rules.add(new ScriptedFaults.Rule(operation, first, last, fault));
            return this;
        }

        /** How long {@link Fault#LATENCY} takes, and what passes that time. */
        public Script latency(Duration value, Consumer<Duration> hook) {
            latency = value;
            latencyHook = hook;
            return this;
        }

        /** How many empty reads in a row one {@link Fault#EMPTY_READ} makes, default 1. */
        public Script emptyReads(int value) {
            emptyReads = atLeastOne("emptyReads", value);
            return this;
        }

        public FaultInjector build() {
            return new FaultInjector(new ScriptedFaults(rules), 0, 0, latency, latencyHook, emptyReads);
        }
    }
}
