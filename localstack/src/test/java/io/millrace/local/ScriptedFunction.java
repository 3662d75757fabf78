package io.millrace.local;

import com.amazonaws.services.lambda.runtime.Context;
import com.amazonaws.services.lambda.runtime.RequestHandler;
import com.amazonaws.services.lambda.runtime.events.KinesisEvent;
import com.amazonaws.services.lambda.runtime.events.StreamsEventResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A function that does what the data of its records say; run in processes of its own. */
public final class ScriptedFunction implements RequestHandler<KinesisEvent, StreamsEventResponse> {
    @Override
    public StreamsEventResponse handleRequest(KinesisEvent event, Context context) {
        List<StreamsEventResponse.BatchItemFailure> failures = new ArrayList<>();
        for (KinesisEvent.KinesisEventRecord record : event.getRecords()) {
            String script =
                    StandardCharsets.UTF_8.decode(record.getKinesis().getData()).toString();
            switch (script) {
                case "fail" ->
                    failures.add(new StreamsEventResponse.BatchItemFailure(
                            record.getKinesis().getSequenceNumber()));
                case "throw" -> throw new IllegalStateException("the script says so");
                case "exit" -> {
                    System.out.println("about to leave");
                    System.exit(3);
                }
                case "hang" -> hang();
                case "tell" -> tell(context);
                default -> {}
            }
        }
        return new StreamsEventResponse(failures);
    }

    private static void hang() {
        System.out.println("hanging");
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void tell(Context context) {
        System.out.println("told pid=" + ProcessHandle.current().pid());
        System.out.println("told request=" + context.getAwsRequestId());
        System.out.println("told function=" + context.getFunctionName() + " " + context.getInvokedFunctionArn());
        System.out.println("told group=" + context.getLogGroupName() + " memory=" + context.getMemoryLimitInMB());
        System.out.println("told remaining=" + (context.getRemainingTimeInMillis() > 0));
        System.out.println("told handler=" + System.getenv("_HANDLER") + " mine=" + System.getenv("MINE"));
        System.out.println("told home=" + System.getenv("HOME"));
    }
}
