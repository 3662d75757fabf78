package io.millrace.state;

/**
 * Something that a stage keeps for each key. A handle is valid only while an element of its stage is processed, and
 * shows the state of that element's key; elsewhere its methods throw an {@link IllegalStateException}. An object taken
 * from state and changed in place is stored as changed, also without an update.
 */
public interface State {
    /** Removes the state of the current key. */
    void clear();
}
