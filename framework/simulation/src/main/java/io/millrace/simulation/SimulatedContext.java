package io.millrace.simulation;

import com.amazonaws.services.lambda.runtime.ClientContext;
import com.amazonaws.services.lambda.runtime.CognitoIdentity;
import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.LambdaLogger;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The Lambda context of a simulated invocation, whose time is virtual. */
final class SimulatedContext implements Context {
    private static final int MEMORY_MEBIBYTES = 512;

    private final Clock clock;
    private final Instant deadline;

    SimulatedContext(Clock clock, Instant deadline) {
        this.clock = clock;
        this.deadline = deadline;
    }

    @Override
    public int getRemainingTimeInMillis() {
        long millis = Duration.between(clock.instant(), deadline).toMillis();
        return (int) Math.max(0, Math.min(Integer.MAX_VALUE, millis));
    }

    @Override
    public String getAwsRequestId() {
        return "simulated";
    }

    @Override
    public String getLogGroupName() {
        return "/aws/lambda/simulated";
    }

    @Override
    public String getLogStreamName() {
        return "simulated";
    }

    @Override
    public String getFunctionName() {
        return "simulated";
    }

    @Override
    public String getFunctionVersion() {
        return "1";
    }

    @Override
    public String getInvokedFunctionArn() {
        return "arn:aws:lambda:us-east-1:000000000000:function:simulated";
    }

    @Override
    public @Nullable CognitoIdentity getIdentity() {
        return null;
    }

    @Override
    public @Nullable ClientContext getClientContext() {
        return null;
    }

    @Override
    public int getMemoryLimitInMB() {
        return MEMORY_MEBIBYTES;
    }

    @Override
    public @Nullable LambdaLogger getLogger() {
        return null;
    }
}
