package dev.ouroboros.node.libc;

/** A system call refused; the message names it and the error number. */
public final class SystemCallFailed extends Exception {
    private static final long serialVersionUID = 1L;

    SystemCallFailed(String message) {
        super(message);
    }
}
