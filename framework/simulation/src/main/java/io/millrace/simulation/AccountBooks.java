package io.millrace.simulation;

import io.millrace.AggregateFunction;
import io.millrace.RuntimeContext;
import io.millrace.state.AggregatingState;
import io.millrace.state.AggregatingStateDescriptor;
import io.millrace.state.ListState;
import io.millrace.state.ListStateDescriptor;
import io.millrace.state.MapState;
import io.millrace.state.MapStateDescriptor;
import io.millrace.state.ReducingState;
import io.millrace.state.ReducingStateDescriptor;
import io.millrace.state.StateTtlConfig;
import io.millrace.state.ValueState;
import io.millrace.state.ValueStateDescriptor;
import java.time.Duration;
import java.util.Objects;

/** The balance and the postings of the current account, kept in one or another kind of state. */
abstract class AccountBooks {
    /** The kinds of state that a simulation draws from. */
    enum Kind {
        /** One object, which is changed in place. */
        VALUE,
        /** One object that expires after {@link #TIME_TO_LIVE}. */
        EXPIRING_VALUE,
        /** A list of postings and a reduced balance. */
        LIST,
        /** A map from the order of postings to these and an aggregated balance. */
        MAP
    }

    /** Longer than a simulation runs, but for the days that may pass in the middle of it. */
    static final Duration TIME_TO_LIVE = Duration.ofHours(6);

    static final String ACCOUNT = "account";
    static final String POSTINGS = "postings";
    static final String BALANCE = "balance";

    static AccountBooks of(Kind kind, RuntimeContext context) {
        return switch (kind) {
            case VALUE -> new InValue(context, false);
            case EXPIRING_VALUE -> new InValue(context, true);
            case LIST -> new InList(context);
            case MAP -> new InMap(context);
        };
    }

    abstract int balance();

    abstract void post(String id, int amount) throws Exception;

    abstract void clear();

    private static final class InValue extends AccountBooks {
        private final ValueState<Account> state;
        private final boolean expires;

        InValue(RuntimeContext context, boolean expires) {
            ValueStateDescriptor<Account> descriptor = new ValueStateDescriptor<>(ACCOUNT, Account.class);
            if (expires) {
                descriptor.enableTimeToLive(
                        StateTtlConfig.newBuilder(TIME_TO_LIVE).build());
            }
            this.state = context.getState(descriptor);
            this.expires = expires;
        }

        @Override
        int balance() {
            Account account = state.value();
            return account == null ? 0 : account.balance;
        }

        @Override
        void post(String id, int amount) throws Exception {
            Account account = state.value();
            boolean isNew = account == null;
            Account changed = account == null ? new Account() : account;
            if (isNew || expires) {
                state.update(changed);
            }
            changed.post(id, amount);
        }

        @Override
        void clear() {
            state.clear();
        }
    }

    private static final class InList extends AccountBooks {
        private final ListState<String> postings;
        private final ReducingState<Integer> balance;

        InList(RuntimeContext context) {
            this.postings = context.getListState(new ListStateDescriptor<>(POSTINGS, String.class));
            this.balance =
                    context.getReducingState(new ReducingStateDescriptor<>(BALANCE, Integer::sum, Integer.class));
        }

        @Override
        int balance() {
            return Objects.requireNonNullElse(balance.get(), 0);
        }

        @Override
        void post(String id, int amount) throws Exception {
            postings.add(id);
            balance.add(amount);
        }

        @Override
        void clear() {
            postings.clear();
            balance.clear();
        }
    }

    private static final class InMap extends AccountBooks {
        private final MapState<Long, String> postings;
        private final AggregatingState<Integer, Integer> balance;

        InMap(RuntimeContext context) {
            this.postings = context.getMapState(new MapStateDescriptor<>(POSTINGS, Long.class, String.class));
            this.balance =
                    context.getAggregatingState(new AggregatingStateDescriptor<>(BALANCE, new Sum(), Integer.class));
        }

        @Override
        int balance() {
            return Objects.requireNonNullElse(balance.get(), 0);
        }

        @Override
        void post(String id, int amount) throws Exception {
            long count = 0;
            for (Long unused : postings.keys()) {
                count++;
            }
            postings.put(count, id);
            balance.add(amount);
        }

        @Override
        void clear() {
            postings.clear();
            balance.clear();
        }
    }

    private static final class Sum implements AggregateFunction<Integer, Integer, Integer> {
        @Override
        public Integer createAccumulator() {
            return 0;
        }

        @Override
        public Integer add(Integer value, Integer accumulator) {
            return accumulator + value;
        }

        @Override
        public Integer getResult(Integer accumulator) {
            return accumulator;
        }

        @Override
        public Integer merge(Integer one, Integer other) {
            return one + other;
        }
    }
}
