package io.millrace.local;

import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import io.millrace.local.internal.mapping.InMemoryShards;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a function has seen: per shard the numbers in the order of their first delivery, and every delivered run. */
final class Recorder {
    private final Map<String, List<Integer>> firstDeliveries = new HashMap<>();
    private final Map<String, List<List<Integer>>> runs = new HashMap<>();

    synchronized void record(KinesisEvent event) {
        List<Integer> run = new ArrayList<>();
        String shardId = "";
        for (KinesisEvent.KinesisEventRecord eventRecord : event.getRecords()) {
            String eventId = eventRecord.getEventID();
            shardId = eventId.substring(0, eventId.indexOf(':'));
            int number = InMemoryShards.number(eventRecord.getKinesis().getSequenceNumber());
            run.add(number);
            List<Integer> seen = firstDeliveries.computeIfAbsent(shardId, name -> new ArrayList<>());
            if (!seen.contains(number)) {
                seen.add(number);
            }
        }
        runs.computeIfAbsent(shardId, name -> new ArrayList<>()).add(run);
    }

    synchronized List<Integer> firstDeliveries(String shardId) {
        return List.copyOf(firstDeliveries.getOrDefault(shardId, List.of()));
    }

    synchronized List<List<Integer>> runs(String shardId) {
        return List.copyOf(runs.getOrDefault(shardId, List.of()));
    }
}
