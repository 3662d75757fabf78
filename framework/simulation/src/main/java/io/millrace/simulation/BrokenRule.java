package io.millrace.simulation;

/** Tells the audit that a rule is broken; caught by it. */
final class BrokenRule extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String rule;
    private final String subject;

    /** @param subject the account or lane whose history shows it */
    BrokenRule(String rule, String subject, String what) {
        super(what);
        this.rule = rule;
        this.subject = subject;
    }

    String rule() {
        return rule;
    }

    String subject() {
        return subject;
    }
}
