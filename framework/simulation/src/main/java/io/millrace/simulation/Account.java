package io.millrace.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The state of an account: its balance, and the postings since it was last balanced. Changed in place. */
final class Account {
    /** What separates a posting's id from what is kept with it. */
    static final String REMARK = " ";

    public int balance;
    public List<String> postings = new ArrayList<>();

    void post(String id, int amount) {
        balance += amount;
        postings.add(id);
    }

    Account copy() {
        Account copy = new Account();
        copy.balance = balance;
        copy.postings.addAll(postings);
        return copy;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Account account && balance == account.balance && postings.equals(account.postings);
    }

    @Override
    public int hashCode() {
        return Objects.hash(balance, postings);
    }

    @Override
    public String toString() {
        return balance + " after "
                + postings.stream()
                        .map(posting -> posting.contains(REMARK)
                                ? posting.substring(0, posting.indexOf(REMARK)) + " (" + posting.length()
                                        + " characters)"
                                : posting)
                        .toList();
    }
}
