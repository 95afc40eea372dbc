package dev.ouroboros.core.keeper;

/** How far the copy of the keeper is that works when this one ends. */
public enum Successor {
    /** Behind the lock: if it is there at all, it is no process yet that could decide. */
    WAITS,
    /** The lock was given back: it starts, if it is there. */
    ADMITTED,
    /** It sees this node, decides, and does nothing of that until this one has ended. */
    DECIDES
}
