package io.millrace.aws.internal;

/** An aggregate that cannot be taken apart. The message is a sentence that says where and why. */
final class BrokenAggregateException extends Exception {
    private static final long serialVersionUID = 1L;

    BrokenAggregateException(String message) {
        super(message);
    }
}
