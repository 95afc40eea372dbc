package dev.ouroboros.snapshot.kubernetes;

/** A stored value that is no object, or one of a kind that is not known; always caught and reported with the object's key. */
public final class UnreadableObjectException extends Exception {
    private static final long serialVersionUID = 1L;

    public UnreadableObjectException(String message) {
        super(message);
    }

    public String what() {
        return String.valueOf(getMessage());
    }
}
