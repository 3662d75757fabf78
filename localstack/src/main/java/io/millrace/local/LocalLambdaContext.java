package io.millrace.local;

import com.amazonaws.services.lambda.runtime.ClientContext;
import com.amazonaws.services.lambda.runtime.CognitoIdentity;
import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.LambdaLogger;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The {@link Context} that a function in this JVM gets. */
public final class LocalLambdaContext implements Context {
    private static final int MEMORY_LIMIT_MEGABYTES = 512;

    private final String functionName;
    private final InvocationContext invocation;

    public LocalLambdaContext(String functionName, InvocationContext invocation) {
        this.functionName = functionName;
        this.invocation = invocation;
    }

    @Override
    public String getAwsRequestId() {
        return invocation.requestId();
    }

    @Override
    public String getLogGroupName() {
        return "/aws/lambda/" + functionName;
    }

    @Override
    public String getLogStreamName() {
        return "local";
    }

    @Override
    public String getFunctionName() {
        return functionName;
    }

    @Override
    public String getFunctionVersion() {
        return "$LATEST";
    }

    @Override
    public String getInvokedFunctionArn() {
        return "arn:aws:lambda:us-east-1:000000000000:function:" + functionName;
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
    public int getRemainingTimeInMillis() {
        return invocation.remainingTimeMillis();
    }

    @Override
    public int getMemoryLimitInMB() {
        return MEMORY_LIMIT_MEGABYTES;
    }

    @Override
    public LambdaLogger getLogger() {
        return new LambdaLogger() {
            @Override
            public void log(String message) {
                System.out.println(message);
            }

            @Override
            public void log(byte[] message) {
                System.out.println(new String(message, StandardCharsets.UTF_8));
            }
        };
    }
}
