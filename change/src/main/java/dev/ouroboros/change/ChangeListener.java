package dev.ouroboros.change;

/** Hears what is being done, for people. */
public interface ChangeListener {
    /** A step was taken. */
    void did(String what);

    /** Something else has to happen first; said again only when it is another thing. */
    void waits(String why);
}
