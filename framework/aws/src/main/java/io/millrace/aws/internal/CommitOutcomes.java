package io.millrace.aws.internal;

import io.millrace.MillraceException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.CancellationReason;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/**
 * The one place that says what an answer of AWS means, for a conditional write and for reads. A failed condition is a question:
 * the old item tells whether it was the write itself, applied before.
 */
final class CommitOutcomes {
    private static final Set<String> LATER = Set.of(
            "ProvisionedThroughputExceededException",
            "ProvisionedThroughputExceeded",
            "RequestLimitExceeded",
            "ThrottlingException",
            "ThrottlingError",
            "TransactionConflictException",
            "TransactionConflict",
            "TransactionInProgressException",
            "ReplicatedWriteConflictException",
            "LimitExceededException",
            "ExpiredIteratorException",
            "KMSThrottlingException");

    private static final Set<String> OWN_FAULT = Set.of(
            "ValidationException",
            "ValidationError",
            "ItemCollectionSizeLimitExceededException",
            "ItemCollectionSizeLimitExceeded");

    private static final String CONDITION_FAILED = "ConditionalCheckFailed";

    private CommitOutcomes() {}

    /**
     * What an exception means.
     *
     * @param isOwn whether an old item shows that this very write was applied
     */
    static CommitOutcome of(Exception thrown, Predicate<Map<String, AttributeValue>> isOwn) {
        return of(thrown, 1, isOwn);
    }

    /**
     * What an exception means.
     *
     * @param guarded how many of a transaction's first actions have a condition that another writer can break
     * @param isOwn whether an old item shows that this very write was applied
     */
    static CommitOutcome of(Exception thrown, int guarded, Predicate<Map<String, AttributeValue>> isOwn) {
        if (thrown instanceof ConditionalCheckFailedException failed) {
            return conditionFailed(failed.hasItem() ? failed.item() : null, isOwn, failed);
        }
        if (thrown instanceof TransactionCanceledException cancelled) {
            return ofReasons(cancelled, guarded, isOwn);
        }
        if (thrown instanceof AwsServiceException answered) {
            return ofCode(answered);
        }
        if (thrown instanceof SdkClientException || thrown instanceof ApiCallAttemptTimeoutException) {
            return new CommitOutcome.Unknown(thrown);
        }
        return new CommitOutcome.Refused(
                new MillraceException("A write failed in an unforeseen way: " + thrown, thrown));
    }

    /** Tries a write until it is known whether it is there, or attempts are used up: then its last outcome. */
    static CommitOutcome untilKnown(Backoff backoff, Supplier<CommitOutcome> write) {
        CommitOutcome outcome = write.get();
        for (int attempt = 1; attempt < Backoff.ATTEMPTS_MAX && outcome.isToBeRepeated(); attempt++) {
            backoff.await(attempt);
            outcome = write.get();
        }
        return outcome;
    }

    /** The first actions of a transaction are the guarded ones (dead letter, cells); the others are rows. */
    private static CommitOutcome ofReasons(
            TransactionCanceledException cancelled, int guarded, Predicate<Map<String, AttributeValue>> isOwn) {
        List<CancellationReason> reasons = cancelled.cancellationReasons();
        for (CancellationReason reason : reasons.subList(0, Math.min(guarded, reasons.size()))) {
            if (CONDITION_FAILED.equals(reason.code())) {
                return conditionFailed(reason.hasItem() ? reason.item() : null, isOwn, cancelled);
            }
        }
        for (CancellationReason reason : reasons) {
            if (reason.code() != null && OWN_FAULT.contains(reason.code())) {
                return new CommitOutcome.Permanent(cancelled);
            }
        }
        for (CancellationReason reason : reasons) {
            if (CONDITION_FAILED.equals(reason.code())) {
                return new CommitOutcome.Refused(ShellErrors.superseded(cancelled));
            }
        }
        for (CancellationReason reason : reasons) {
            if (reason.code() != null && LATER.contains(reason.code())) {
                return new CommitOutcome.Throttled(cancelled);
            }
        }
        return new CommitOutcome.Unknown(cancelled);
    }

    private static CommitOutcome conditionFailed(
            @Nullable Map<String, AttributeValue> old,
            Predicate<Map<String, AttributeValue>> isOwn,
            AwsServiceException cause) {
        if (old == null || old.isEmpty()) {
            return new CommitOutcome.Conflict(
                    "the condition failed and no old item came with the answer: " + cause.getMessage());
        }
        return isOwn.test(old)
                ? new CommitOutcome.AlreadyCommitted()
                : new CommitOutcome.Conflict("another writer came first");
    }

    private static CommitOutcome ofCode(AwsServiceException answered) {
        String code = answered.awsErrorDetails() == null
                ? ""
                : String.valueOf(answered.awsErrorDetails().errorCode());
        if (LATER.contains(code)) {
            return new CommitOutcome.Throttled(answered);
        }
        if (OWN_FAULT.contains(code)) {
            return new CommitOutcome.Permanent(answered);
        }
        if (answered.statusCode() >= 500) {
            return new CommitOutcome.Unknown(answered);
        }
        return new CommitOutcome.Refused(ShellErrors.refused(code, answered));
    }
}
