package io.millrace.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What an account's statement for a window holds: postings in any order, and their sum. Changed in place. */
final class Statement {
    public int amount;
    public List<String> postings = new ArrayList<>();

    void post(String id, int postedAmount) {
        amount += postedAmount;
        postings.add(id);
    }

    void post(Statement other) {
        amount += other.amount;
        postings.addAll(other.postings);
    }

    Statement copy() {
        Statement copy = new Statement();
        copy.post(this);
        return copy;
    }

    /** The postings' ids, in order. */
    String words() {
        List<String> sorted = new ArrayList<>(postings);
        sorted.sort(null);
        return String.join(",", sorted);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Statement statement
                && amount == statement.amount
                && postings.size() == statement.postings.size()
                && new TreeSet<>(postings).equals(new TreeSet<>(statement.postings));
    }

    @Override
    public int hashCode() {
        return Objects.hash(amount, postings.size());
    }

    @Override
    public String toString() {
        return amount + " of " + postings;
    }
}
