package io.millrace.local;

import io.millrace.local.internal.dynamodb.DynamoDbService;
import io.millrace.local.internal.kinesis.KinesisService;
import io.millrace.local.internal.s3.S3Service;
import io.millrace.local.internal.wire.AwsHandler;
import io.millrace.local.internal.wire.DocumentService;
import io.millrace.local.internal.wire.HttpListener;
import io.millrace.local.internal.wire.InProcessHttpClient;
import io.millrace.local.internal.wire.ServiceRouter;
import java.io.IOException;
import java.time.Clock;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.http.SdkHttpClient;

/**
 * A simulated AWS in this JVM: what Millrace uses of AWS's services, with their errors and limits, in memory. SDK clients
 * reach it through {@link #httpClient()} without a socket, other processes through {@link #listen(String, int)}; both see
 * the same streams, tables and buckets. Any credentials are accepted.
 *
 * <p>Differences from AWS: a stream is {@code ACTIVE} at once, changes of its shards included, and throughput limits apply
 * only if {@link Builder#enforceThroughputLimits(boolean) asked for}. Operations that Millrace does not use answer
 * {@code UnknownOperationException}, those of S3 {@code NotImplemented}. An item whose time to live has passed stays until {@link #deleteExpiredItems()} is
 * called, where AWS takes up to some days.
 *
 * <p>S3 takes buckets in the path and in the host, bodies in the encoding {@code aws-chunked}, and the checksums CRC-32,
 * CRC-32C, CRC-64/NVME, SHA-1 and SHA-256. It has no versions, copies, policies or storage classes. An object may have up to
 * 2 GiB, and a request to a port 256 MiB.
 *
 * <p>Given the same clock, seed and order of requests, the responses are the same. Thread-safe.
 */
public final class EmbeddedAws implements AutoCloseable {
    /** The account that every resource belongs to. */
    public static final String ACCOUNT = "000000000000";
    /** The region unless the builder names another. */
    public static final String DEFAULT_REGION = "us-east-1";

    private final DynamoDbService dynamoDb;
    private final AwsHandler handler;
    private final List<EmbeddedAwsServer> servers = new CopyOnWriteArrayList<>();

    private EmbeddedAws(Builder builder) {
        this.dynamoDb = new DynamoDbService(builder.clock, builder.region, ACCOUNT, builder.itemChangeListener);
        // The services, in one place: what a request's X-Amz-Target begins with decides which of them answers, and S3
        // answers the requests that have none.
        this.handler = new ServiceRouter(
                List.of(
                        DocumentService.dynamoDb(dynamoDb),
                        DocumentService.kinesis(new KinesisService(
                                builder.clock,
                                builder.region,
                                ACCOUNT,
                                builder.throughputLimitsEnforced,
                                builder.shortSequenceNumbers ? OptionalLong.of(builder.seed) : OptionalLong.empty()))),
                List.of(new S3Service(builder.clock, builder.region, ACCOUNT, builder.seed)),
                builder.seed);
    }

    /** A new, empty AWS with the system's clock. */
    public static EmbeddedAws create() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The HTTP client to give to an SDK client builder; it may be shared, and closing it does nothing. */
    public SdkHttpClient httpClient() {
        return new InProcessHttpClient(handler);
    }

    /**
     * Listens on a port until the returned server, or this AWS, is closed.
     *
     * @param host the address to listen on, such as {@code 127.0.0.1}
     * @param port 1 to 65,535, or 0 for any free port
     * @throws java.net.BindException if the port is taken; the message names it
     */
    public EmbeddedAwsServer listen(String host, int port) throws IOException {
        EmbeddedAwsServer server = new EmbeddedAwsServer(HttpListener.start(handler, host, port));
        servers.add(server);
        return server;
    }

    /**
     * Deletes every item of every table whose time to live has passed by the clock. Nothing else does: while this is not
     * called, expired items are read and written like any other.
     *
     * @return how many items it deleted
     */
    public int deleteExpiredItems() {
        return dynamoDb.expireItems();
    }

    /** Closes the servers. The data goes with the object. */
    @Override
    public void close() {
        servers.forEach(EmbeddedAwsServer::close);
        servers.clear();
    }

    /** Options of an embedded AWS. */
    public static final class Builder {
        private Clock clock = Clock.systemUTC();
        private long seed;
        private String region = DEFAULT_REGION;
        private boolean throughputLimitsEnforced;
        private boolean shortSequenceNumbers;
        private @Nullable ItemChangeListener itemChangeListener;

        private Builder() {}

        /** The clock that stamps records and objects, and ends retention, iterators and tokens; the system's in UTC by default. */
        public Builder clock(Clock clock) {
            this.clock = clock;
            return this;
        }

        /** The seed of everything random, such as the ids of requests and uploads; 0 by default. */
        public Builder seed(long seed) {
            this.seed = seed;
            return this;
        }

        /** The region in the names of resources; {@value EmbeddedAws#DEFAULT_REGION} by default. */
        public Builder region(String region) {
            this.region = region;
            return this;
        }

        /**
         * Whether a shard refuses more than 1,000 records or 1 MiB written, or 5 reads, within one second of the clock, as
         * AWS does; false by default, so that tests run at full speed.
         */
        public Builder enforceThroughputLimits(boolean enforced) {
            this.throughputLimitsEnforced = enforced;
            return this;
        }

        /**
         * Whether sequence numbers are short, as some emulators give them, instead of AWS's 56 digits; false by default. A
         * shard's first record then has a number of one to three digits, such as 7, 95 or 996, and each next one is 1 to 9
         * higher, so that numbers soon get a digit more. Each shard counts on its own: numbers of different shards overlap
         * and cannot be compared, a child's with its parent's neither, and a stream created anew counts as its predecessor
         * did. The seed, the stream's name and the shard decide the numbers.
         */
        public Builder shortSequenceNumbers(boolean shortNumbers) {
            this.shortSequenceNumbers = shortNumbers;
            return this;
        }

        /** Who is told of every change of an item; nobody by default, which costs nothing. */
        public Builder itemChangeListener(ItemChangeListener listener) {
            this.itemChangeListener = listener;
            return this;
        }

        public EmbeddedAws build() {
            return new EmbeddedAws(this);
        }
    }
}
