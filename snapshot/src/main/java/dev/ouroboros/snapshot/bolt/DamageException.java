package dev.ouroboros.snapshot.bolt;

/** Bytes that are not what their place demands; always caught where the reader can go on beside them. */
public final class DamageException extends Exception {
    private static final long serialVersionUID = 1L;

    private final long offset;

    public DamageException(long offset, String message) {
        super(message);
        this.offset = offset;
    }

    /** Where in the file. */
    public long offset() {
        return offset;
    }

    public String what() {
        return String.valueOf(getMessage());
    }
}
