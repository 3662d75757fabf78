package io.millrace.aws;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.SdkResponse;
import software.amazon.awssdk.core.interceptor.Context;
import software.amazon.awssdk.core.interceptor.ExecutionAttributes;
import software.amazon.awssdk.core.interceptor.ExecutionInterceptor;
import software.amazon.awssdk.core.interceptor.SdkExecutionAttribute;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.ConsumedCapacity;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.PutItemResponse;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItemsResponse;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemResponse;

/**
 * Counts the requests that SDK clients send and the DynamoDB capacity that the answers report. Retries by the SDK count
 * as requests of their own. Thread-safe.
 */
public final class RequestMeter implements ExecutionInterceptor {
    private final Map<String, LongAdder> requests = new ConcurrentHashMap<>();
    private final DoubleAdder writeUnits = new DoubleAdder();
    private final DoubleAdder readUnits = new DoubleAdder();

    @Override
    public void beforeTransmission(Context.BeforeTransmission context, ExecutionAttributes attributes) {
        String operation = attributes.getAttribute(SdkExecutionAttribute.SERVICE_NAME) + "."
                + attributes.getAttribute(SdkExecutionAttribute.OPERATION_NAME);
        requests.computeIfAbsent(operation, absent -> new LongAdder()).increment();
    }

    @Override
    public void afterExecution(Context.AfterExecution context, ExecutionAttributes attributes) {
        SdkResponse response = context.response();
        if (response instanceof PutItemResponse put) {
            addWrite(put.consumedCapacity());
        } else if (response instanceof UpdateItemResponse update) {
            addWrite(update.consumedCapacity());
        } else if (response instanceof TransactWriteItemsResponse transaction) {
            transaction.consumedCapacity().forEach(this::addWrite);
        } else if (response instanceof GetItemResponse get) {
            addRead(get.consumedCapacity());
        } else if (response instanceof BatchGetItemResponse batch) {
            batch.consumedCapacity().forEach(this::addRead);
        }
    }

    private void addWrite(@Nullable ConsumedCapacity capacity) {
        if (capacity != null && capacity.capacityUnits() != null) {
            writeUnits.add(capacity.capacityUnits());
        }
    }

    private void addRead(@Nullable ConsumedCapacity capacity) {
        if (capacity != null && capacity.capacityUnits() != null) {
            readUnits.add(capacity.capacityUnits());
        }
    }

    /** Requests by service and operation, such as {@code DynamoDb.PutItem}. */
    public Map<String, Long> requests() {
        Map<String, Long> counts = new TreeMap<>();
        requests.forEach((operation, count) -> counts.put(operation, count.sum()));
        return counts;
    }

    /** Requests to a service: {@code DynamoDb} or {@code Kinesis}. */
    public long requestsTo(String service) {
        return requests().entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(service + "."))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /** DynamoDB write units, as the answers reported them; an endpoint that reports none gives 0. */
    public double writeUnits() {
        return writeUnits.sum();
    }

    /** DynamoDB read units, as the answers reported them. */
    public double readUnits() {
        return readUnits.sum();
    }
}
