package dev.ouroboros.keeper.decide;

/** How far the copy of the keeper is that takes over when this copy ends. */
public enum Successor {
    /** It waits for the lock: if its container exists at all, its JVM has not started. */
    WAITS,
    /** The lock was released: if its container exists, its JVM starts. */
    ADMITTED,
    /** It observes this node and decides, but performs nothing until this copy has ended. */
    DECIDES
}
