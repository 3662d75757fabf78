package io.millrace.aws;

import com.amazonaws.services.lambda.runtime.ClientContext;
import com.amazonaws.services.lambda.runtime.CognitoIdentity;
import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.LambdaLogger;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** A Lambda context of which a test decides the time that is left. */
final class ChaosContext implements Context {
    private final IntSupplier remainingMillis;

    ChaosContext(IntSupplier remainingMillis) {
        this.remainingMillis = remainingMillis;
    }

    /** One whose time never ends. */
    static ChaosContext endless() {
        return new ChaosContext(() -> 60_000);
    }

    /** One whose time passes by being asked for: nothing is left from the given question on. */
    static ChaosContext endingAtQuestion(int question) {
        int[] asked = {0};
        return new ChaosContext(() -> Math.max(0, 60_000 - 60_000 / question * asked[0]++));
    }

    @Override
    public int getRemainingTimeInMillis() {
        return remainingMillis.getAsInt();
    }

    @Override
    public String getAwsRequestId() {
        return "request";
    }

    @Override
    public String getLogGroupName() {
        return "group";
    }

    @Override
    public String getLogStreamName() {
        return "stream";
    }

    @Override
    public String getFunctionName() {
        return "function";
    }

    @Override
    public String getFunctionVersion() {
        return "1";
    }

    @Override
    public String getInvokedFunctionArn() {
        return "arn:aws:lambda:us-east-1:000000000000:function:function";
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
        return 512;
    }

    @Override
    public @Nullable LambdaLogger getLogger() {
        return null;
    }
}
