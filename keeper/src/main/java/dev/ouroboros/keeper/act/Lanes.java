package dev.ouroboros.keeper.act;

/** Actions of one lane run one after the other, in their order; lanes do not wait for each other. */
public interface Lanes extends AutoCloseable {
    /** @throws java.util.concurrent.RejectedExecutionException when it is closed */
    void execute(String lane, Runnable action);

    /**
     * Lets what runs end, for some seconds, and begins nothing that waits. Every action may be cut off anywhere, and is done again by
     * the next keeper, if there is one.
     */
    @Override
    void close();
}
