package io.millrace.simulation;

import io.millrace.sink.PartitionKey;
import io.millrace.sink.SortKey;

/** A row: an account's balance behind one of its postings. */
record Line(@PartitionKey String account, @SortKey String id, String posting, int balance) {
    /** The id of a posting's extra line. */
    static String extraId(String posting, int number) {
        return posting + "+" + number;
    }
}
