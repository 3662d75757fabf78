package io.millrace.simulation;

import java.util.HashMap;
import java.util.Map;

/** How often the ledger's code met each posting, and whether that code is mended. */
final class PostingRuns {
    private final Map<String, Integer> beforeKey = new HashMap<>();
    private final Map<String, Integer> atAccount = new HashMap<>();
    private boolean mended;

    void noteBeforeKey(Posting posting) {
        beforeKey.merge(posting.id(), 1, Integer::sum);
    }

    void note(Posting posting, String account) {
        atAccount.merge(posting.id() + "@" + account, 1, Integer::sum);
    }

    int beforeKey(Posting posting) {
        return beforeKey.getOrDefault(posting.id(), 0);
    }

    int at(Posting posting, String account) {
        return atAccount.getOrDefault(posting.id() + "@" + account, 0);
    }

    /** In what is loaded from now on no posting has a mishap. */
    void mend() {
        mended = true;
    }

    boolean isMended() {
        return mended;
    }
}
