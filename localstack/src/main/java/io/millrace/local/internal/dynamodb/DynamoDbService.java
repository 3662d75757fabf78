package io.millrace.local.internal.dynamodb;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.millrace.local.ItemChangeListener;
import io.millrace.local.internal.AwsService;
import io.millrace.local.internal.AwsServiceException;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * The simulated DynamoDB: tables in memory behind the operations that Millrace and its documentation use. Documents are in
 * DynamoDB's wire form. What it does not implement answers {@code UnknownOperationException}.
 *
 * <p>Where it is simpler than the real one: tables are active at once and deleted at once; indexes are never behind their
 * tables; nothing is throttled; a transaction never meets another one, since each request takes effect alone
 * ({@link TableStore}). Throttles, conflicts and lost responses are the fault injector's.
 *
 * <p>Expired items stay until {@link #expireItems} is called, as the real ones do for up to some days.
 *
 * <p>Thread-safe. Deterministic: time comes from the clock alone, and scan order from a stable hash of the partition keys.
 */
public final class DynamoDbService implements AwsService {
    private final CapacityMeter meter = new CapacityMeter();
    private final TableOperations tables;
    private final ItemWrites writes;
    private final BatchOperations batches;
    private final PageOperations pages;
    private final TransactionOperations transactions;

    /**
     * Creates a service without tables, whose ARNs name the region and the account.
     *
     * @param listener told of every change of an item, or null
     */
    public DynamoDbService(Clock clock, String region, String account, @Nullable ItemChangeListener listener) {
        TableStore store = new TableStore(listener);
        ExpressionCache cache = new ExpressionCache();
        this.tables = new TableOperations(store, clock, "arn:aws:dynamodb:" + region + ":" + account);
        this.writes = new ItemWrites(store, cache, meter);
        this.batches = new BatchOperations(store, cache, meter);
        this.pages = new PageOperations(store, cache, meter);
        this.transactions = new TransactionOperations(store, cache, meter, clock);
    }

    @Override
    public ObjectNode call(String operation, ObjectNode document) throws AwsServiceException {
        Request request = new Request(document);
        return switch (operation) {
            case "CreateTable" -> tables.createTable(request);
            case "DescribeTable" -> tables.describeTable(request);
            case "ListTables" -> tables.listTables(request);
            case "DeleteTable" -> tables.deleteTable(request);
            case "UpdateTimeToLive" -> tables.updateTimeToLive(request);
            case "DescribeTimeToLive" -> tables.describeTimeToLive(request);
            case "GetItem" -> batches.getItem(request);
            case "BatchGetItem" -> batches.batchGetItem(request);
            case "BatchWriteItem" -> batches.batchWriteItem(request);
            case "PutItem" -> writes.write(WriteAction.Kind.PUT, request);
            case "UpdateItem" -> writes.write(WriteAction.Kind.UPDATE, request);
            case "DeleteItem" -> writes.write(WriteAction.Kind.DELETE, request);
            case "Query" -> pages.query(request);
            case "Scan" -> pages.scan(request);
            case "TransactWriteItems" -> transactions.transactWriteItems(request);
            case "TransactGetItems" -> transactions.transactGetItems(request);
            default ->
                throw AwsServiceException.client(
                        "UnknownOperationException",
                        "The embedded DynamoDB does not implement the operation " + operation + ".");
        };
    }

    /** Deletes every item whose time to live has passed by the clock, and answers how many there were. */
    public int expireItems() {
        return tables.expireItems();
    }

    /** The read units spent since the service was made. */
    public double consumedReadUnits() {
        return meter.readUnits();
    }

    /** The write units spent since the service was made, those of refused conditional writes included. */
    public double consumedWriteUnits() {
        return meter.writeUnits();
    }
}
