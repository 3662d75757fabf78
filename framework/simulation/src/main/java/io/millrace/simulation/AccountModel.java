package io.millrace.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What an account's cell must hold: all that was absorbed, applied one by one in the order of the commits. */
final class AccountModel {
    private final String name;
    private final Scenario scenario;
    private final Map<String, Instant> seen = new HashMap<>();
    private final Map<SentLane, SentRecord> absorbedTo = new HashMap<>();
    private Account account = new Account();
    private boolean stored;
    private @Nullable Map<String, String> latest;

    AccountModel(String name, Scenario scenario) {
        this.name = name;
        this.scenario = scenario;
    }

    /** The last record that it has absorbed of a lane, whether its cell remembers or not; null for none. */
    @Nullable
    SentRecord absorbedTo(SentLane lane) {
        return absorbedTo.get(lane);
    }

    void absorbedTo(SentLane lane, SentRecord record) {
        absorbedTo.put(lane, record);
    }

    /** The same content, to try something with. */
    AccountModel copy() {
        AccountModel copy = new AccountModel(name, scenario);
        copy.become(this);
        return copy;
    }

    /** Takes over the content of a copy. */
    void become(AccountModel copy) {
        account = copy.account.copy();
        stored = copy.stored;
        latest = copy.latest;
        seen.clear();
        seen.putAll(copy.seen);
    }

    /** Absorbs a record, and returns the rows that it must put out, by id; none if it is a repetition. */
    Map<String, Line> absorb(SentRecord record) {
        Posting posting = Objects.requireNonNull(record.posting());
        if (isRepetition(posting, record.record().approximateArrivalTimestamp())) {
            return Map.of();
        }
        latest = RowContents.after(latest, RowContents.latestName(name), posting);
        account.post(posting.id() + scenario.remark(), posting.amountOf(name));
        Map<String, Line> lines = new TreeMap<>();
        lines.put(posting.id(), new Line(name, posting.id(), posting.id(), account.balance));
        for (int i = 0; i < posting.extraLines(); i++) {
            String id = Line.extraId(posting.id(), i);
            lines.put(id, new Line(name, id, posting.id(), account.balance));
        }
        stored = account.balance != 0;
        if (!stored) {
            account = new Account();
        }
        return lines;
    }

    private boolean isRepetition(Posting posting, Instant arrival) {
        if (!scenario.deduplicates()) {
            return false;
        }
        Instant first = seen.get(posting.id());
        if (first != null && Duration.between(first, arrival).compareTo(Ledger.REPEATED_WITHIN) < 0) {
            return true;
        }
        seen.put(posting.id(), arrival);
        return false;
    }

    /** What the row of its latest posting must hold; null if it is deleted. */
    @Nullable
    Map<String, String> latest() {
        return latest;
    }

    /** Its state is expired. */
    void forget() {
        account = new Account();
        stored = false;
    }

    /** What the cell must hold now; null for a tombstone. */
    @Nullable
    Account account() {
        return stored ? account : null;
    }
}
