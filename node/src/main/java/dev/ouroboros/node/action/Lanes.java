package dev.ouroboros.node.action;

/** Actions of one lane run one after the other, in their order; lanes do not wait for each other. */
public interface Lanes extends AutoCloseable {
    /** @throws java.util.concurrent.RejectedExecutionException when it is closed */
    void execute(String lane, Runnable action);

    /** Begins nothing that waits, and ends what runs. Every action may be cut off anywhere, and is done again by the next process. */
    @Override
    void close();
}
