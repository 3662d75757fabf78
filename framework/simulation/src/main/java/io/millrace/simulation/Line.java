package io.millrace.simulation;

import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;

/** A row: an account's balance behind one of its postings; under {@link #LATEST} behind its latest. */
record Line(@PartitionKey String account, @SortKey String id, String posting, int balance) {
    static final String LATEST = "latest";

    /** The id of a posting's extra line. */
    static String extraId(String posting, int number) {
        return posting + "+" + number;
    }
}
