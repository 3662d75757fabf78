package io.millrace.simulation;

/** The end of a simulated process, thrown where its code waits: an error, so that nothing takes it for a failure. */
final class ProcessDied extends Error {
    private static final long serialVersionUID = 1L;

    ProcessDied() {
        super("the simulated process has died", null, false, false);
    }
}
