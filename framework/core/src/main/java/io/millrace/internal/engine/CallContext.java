package io.millrace.internal.engine;

import io.millrace.KeyedProcessFunction;
import io.millrace.OutputTag;
import io.millrace.TimeDomain;
import io.millrace.TimerService;
import io.millrace.internal.operator.OperatorContext;
import org.jspecify.annotations.Nullable;

/** The context that a stage's function sees; one object for all calls, of use only during one. */
final class CallContext extends KeyedProcessFunction<Object, Object, Object>.OnTimerContext
        implements OperatorContext, TimerService {
    private @Nullable Call call;

    /**
     * One call.
     *
     * @param timer the timer that fires; null while an element is processed
     */
    record Call(Object key, long timestamp, @Nullable Timer timer, Segment segment, RowCollector out) {}

    CallContext(KeyedProcessFunction<Object, Object, Object> function) {
        function.super();
    }

    void begin(Call newCall) {
        call = newCall;
    }

    /** From now on the function may not use it. */
    void end() {
        call = null;
    }

    private Call call(String use) {
        if (call == null) {
            throw new IllegalStateException(use + " outside of the call that the context was passed to, so it would be"
                    + " lost. Use the context only during processElement and onTimer.");
        }
        return call;
    }

    @Override
    public Object getCurrentKey() {
        return call("The current key is asked for").key();
    }

    @Override
    public <X> void output(OutputTag<X> outputTag, X value) {
        call("The side output '" + outputTag.getId() + "' is used").out().collect(outputTag, value);
    }

    @Override
    public Long timestamp() {
        return operatorTimestamp();
    }

    @Override
    public long operatorTimestamp() {
        return call("The time stamp is asked for").timestamp();
    }

    @Override
    public TimerService timerService() {
        return this;
    }

    @Override
    public TimeDomain timeDomain() {
        Timer timer = call("The time domain is asked for").timer();
        if (timer == null) {
            throw new IllegalStateException(
                    "The time domain is asked for outside of onTimer, where there is no timer.");
        }
        return timer.domain();
    }

    @Override
    public String timerName() {
        Timer timer = call("The timer is asked for").timer();
        return timer == null ? "" : timer.name();
    }

    @Override
    public long currentProcessingTime() {
        return call("The clock is asked for").segment().time().clock().toEpochMilli();
    }

    @Override
    public long currentWatermark() {
        Call now = call("The watermark is asked for");
        return now.segment().watermark();
    }

    @Override
    public void registerEventTimeTimer(long time) {
        registerTimer(TimeDomain.EVENT_TIME, time, "");
    }

    @Override
    public void registerProcessingTimeTimer(long time) {
        registerTimer(TimeDomain.PROCESSING_TIME, time, "");
    }

    @Override
    public void deleteEventTimeTimer(long time) {
        deleteTimer(TimeDomain.EVENT_TIME, time, "");
    }

    @Override
    public void deleteProcessingTimeTimer(long time) {
        deleteTimer(TimeDomain.PROCESSING_TIME, time, "");
    }

    @Override
    public void registerTimer(TimeDomain domain, long time, String name) {
        call("A timer is registered").segment().register(new Timer(domain, time, name));
    }

    @Override
    public void deleteTimer(TimeDomain domain, long time, String name) {
        call("A timer is deleted").segment().delete(new Timer(domain, time, name));
    }

    @Override
    public void countLate() {
        call("A late element is counted").segment().countLate();
    }
}
