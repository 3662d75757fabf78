package io.millrace.serde;

import io.millrace.Collector;
import java.util.Optional;

/**
 * Turns a record of a stream into elements: none, one or many, with a view of the record's metadata. Where one record is
 * always one value, a {@link Serde} is enough.
 *
 * <p>Thread-safe. It runs again whenever the record is delivered again, and must give the same elements in the same
 * order each time: what it gives decides under which keys the record is fenced. So no clock, no random numbers, no
 * lookup in something that changes. The elements of a record are processed as those of a {@code flatMap}: each key's
 * part commits on its own.
 */
@FunctionalInterface
public interface RecordDecoder<T> {
    /**
     * Collects the elements of a record. The collector is good during this call only, and takes no null.
     *
     * @throws Exception any: the record cannot be decoded, nothing that was collected counts, and the record follows the
     *     source's policy for undecodable records (by default it becomes a dead letter, as a whole)
     */
    void decode(StreamRecord record, Collector<T> out) throws Exception;

    /**
     * How its elements are stored where an operator behind the source must store them; if it is empty, the default, such
     * an operator needs {@code .returns(...)} before it.
     */
    default Optional<Serde<T>> elementSerde() {
        return Optional.empty();
    }

    /**
     * What it is, in words that stay the same between versions of the code as long as it gives the same elements: part of
     * the topology's fingerprint. By default the name of its class, or for a lambda that of the class that holds it. A
     * version in the description ("orders v2") tells that a new version gives other elements.
     */
    default String description() {
        String className = getClass().getName();
        int lambda = className.indexOf("$$Lambda");
        return lambda < 0 ? className : className.substring(0, lambda);
    }

    /** The decoder of records that are one value each: its bytes are what the serde writes. */
    static <T> RecordDecoder<T> of(Serde<T> serde) {
        return new SerdeDecoder<>(serde);
    }
}
