package dev.ouroboros.node.action;

import java.util.Optional;

/**
 * One action of a decision, and how it is performed. Its results are told on the thread of its lane; its identity, lane and kind are asked for by the
 * deciding thread.
 *
 * @param <A> identifies actions: of equal ones, one is performed at a time
 */
public interface Task<A> {
    A action();

    /** Tasks of one lane are performed one after the other. */
    String lane();

    default Kind kind() {
        return Kind.USUAL;
    }

    /**
     * Performs the action, and looks at what it changed.
     *
     * @return why it failed; empty when it is done
     */
    Optional<String> perform();

    /** The action failed, for the first time or for another reason than the last time; it is performed again as long as it is wanted. */
    default void failed(String why) {}

    /** The action was not performed when its turn came: the latest decision does not want it, or is too old. */
    default void dropped() {}

    /** The action threw what no action is expected to throw. It counts as failed; {@link #failed} is called too. */
    void defect(RuntimeException e);

    /** What is special about an action. */
    enum Kind {
        /** Its effect is seen when it is done. */
        USUAL,
        /** Its effect is seen later, as a watch of an API server shows it. */
        SHOWN_LATER,
        /** Is decided once, and performed when its turn comes although later decisions do not name it; when it fails it is not repeated. */
        DECIDED_ONCE,
        /** No action begins after it unless it fails: another one could put back what it removes. */
        LAST
    }
}
