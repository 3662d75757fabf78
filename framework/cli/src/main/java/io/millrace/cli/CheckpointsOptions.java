package io.millrace.cli;

import io.millrace.aws.Checkpoints;
import io.millrace.aws.internal.checkpoint.CheckpointPlace;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.NoSuchBucketException;

/** What all commands on checkpoints are told: of which pipeline, where it runs, and where they lie. */
final class CheckpointsOptions {
    @Mixin
    private OperatedPipeline pipeline = new OperatedPipeline();

    @Option(
            names = "--at",
            paramLabel = "s3://BUCKET/PREFIX",
            description = "Where the checkpoints lie. Default: the bucket of the pipeline's name with -checkpoints.")
    private @Nullable String place;

    boolean json() {
        return pipeline.json();
    }

    /** How the pipeline and the place are named in another command. */
    String arguments() {
        return pipeline.arguments() + (place == null ? "" : " --at " + place);
    }

    /** What a command adds to the settings. */
    @FunctionalInterface
    interface Settings {
        void to(Checkpoints.Builder builder);
    }

    /** What a command does with the checkpoints. */
    @FunctionalInterface
    interface Work {
        int run(Checkpoints checkpoints) throws Exception;
    }

    int work(Work work) throws Exception {
        return work(builder -> {}, work);
    }

    /** Connects, does the work and closes the connections. A stand-in gets its bucket; on AWS a template makes it. */
    int work(Settings settings, Work work) throws Exception {
        return pipeline.work((found, clients) -> {
            Checkpoints.Builder builder = Checkpoints.builder().pipeline(found.definition());
            if (place != null) {
                builder.place(place);
            }
            settings.to(builder);
            if (clients.isPresent()) {
                OperatedPlace.Clients given = clients.get();
                String bucket = place == null
                        ? found.definition().name() + Checkpoints.BUCKET_SUFFIX
                        : CheckpointPlace.parse(place).bucket();
                createBucket(given.s3(), bucket);
                builder.dynamoDb(given.dynamoDb()).kinesis(given.kinesis()).s3(given.s3());
            }
            return work.run(builder.build());
        });
    }

    private static void createBucket(S3Client s3, String bucket) {
        try {
            s3.headBucket(request -> request.bucket(bucket));
        } catch (NoSuchBucketException e) {
            s3.createBucket(request -> request.bucket(bucket));
        }
    }
}
