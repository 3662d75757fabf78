package io.millrace.local.internal.faults;

import io.millrace.local.Fault;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Faults by probability, from one seeded sequence. */
public final class SeededFaults implements FaultChooser {
    private final SplittableRandom random;
    private final Map<Fault, Double> probabilities;
    private final Set<String> sparedOperations;

    public SeededFaults(long seed, Map<Fault, Double> probabilities, Set<String> sparedOperations) {
        this.random = new SplittableRandom(seed);
        this.probabilities = new EnumMap<>(probabilities);
        this.sparedOperations = Set.copyOf(sparedOperations);
    }

    @Override
    public synchronized @Nullable Fault choose(String operation) {
        double point = random.nextDouble();
        if (sparedOperations.contains(operation)) {
            return null;
        }
        for (Map.Entry<Fault, Double> entry : probabilities.entrySet()) {
            if (entry.getKey().canHit(operation)) {
                point -= entry.getValue();
                if (point < 0) {
                    return entry.getKey();
                }
            }
        }
        return null;
    }

    @Override
    public synchronized int nextInt(int bound) {
        return random.nextInt(bound);
    }
}
