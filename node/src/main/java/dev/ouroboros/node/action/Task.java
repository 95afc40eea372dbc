package dev.ouroboros.node.action;

import java.util.Optional;

/**
 * One action of a decision, with how it is performed. Its methods are called by the thread of its lane.
 *
 * @param <A> what actions are known by: of those that are equal, one is performed at a time
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
    void failed(String why);

    /** The action threw what no action is expected to throw. It counts as failed; {@link #failed} is called too. */
    void defect(RuntimeException e);

    /** What is special about an action. */
    enum Kind {
        /** Its effect is seen when it is done. */
        USUAL,
        /** Its effect is seen later, as a watch of an API server shows it. */
        SHOWN_LATER,
        /** Is decided once, and wanted until it is done, though later decisions do not name it. */
        DECIDED_ONCE,
        /** Nothing is begun beside it or behind it, unless it fails: another action could put back what it removes. */
        LAST
    }
}
