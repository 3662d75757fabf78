package io.millrace.local.internal.faults;

import java.util.LinkedHashMap;
import java.util.Map;

/** What became of the request tokens of transactions, for a bounded number of the latest. Thread-safe. */
public final class TransactionTokens {
    private static final int TOKENS_MAX = 10_000;

    /** Token to the number of repetitions that still find the first attempt running. */
    private final Map<String, Integer> executed = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
            return size() > TOKENS_MAX;
        }
    };

    /** Notes that the transaction was executed. */
    public synchronized void executed(String token) {
        if (!token.isEmpty()) {
            executed.putIfAbsent(token, 0);
        }
    }

    /** Notes that the transaction's first attempt seems to run for so many repetitions more. */
    public synchronized void running(String token, int repetitions) {
        executed.put(token, repetitions);
    }

    public synchronized boolean wasExecuted(String token) {
        return executed.containsKey(token);
    }

    /** Counts a repetition: true if it still finds the first attempt running. */
    public synchronized boolean repeatWhileRunning(String token) {
        int left = executed.getOrDefault(token, 0);
        if (left <= 0) {
            return false;
        }
        executed.put(token, left - 1);
        return true;
    }
}
