package dev.ouroboros.node.namespace;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.libc.Libc;
import dev.ouroboros.node.libc.SystemCallFailed;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;

/**
 * A new network namespace without a name, held by a thread of ours. However this process ends, the kernel removes the
 * namespace with all its links.
 */
public final class TemporaryNamespace implements AutoCloseable {
    private final NetworkNamespace namespace;
    private final CountDownLatch closed;

    private TemporaryNamespace(NetworkNamespace namespace, CountDownLatch closed) {
        this.namespace = namespace;
        this.closed = closed;
    }

    /** @throws ProblemException MISSING_PERMISSION when this process may not make one */
    public static TemporaryNamespace create() {
        CompletableFuture<NetworkNamespace> made = new CompletableFuture<>();
        CountDownLatch closed = new CountDownLatch(1);
        Thread.ofPlatform().daemon().name("holds a network namespace").start(() -> hold(made, closed));
        try {
            return new TemporaryNamespace(made.get(), closed);
        } catch (InterruptedException e) {
            closed.countDown();
            Thread.currentThread().interrupt();
            throw ProblemException.of(
                    ErrorCode.TIMEOUT,
                    "network namespace",
                    "interrupted while making one",
                    "",
                    "run the same command again");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SystemCallFailed refused) {
                throw NetworkNamespace.cannotEnter("a new network namespace", refused);
            }
            throw new IllegalStateException("making a network namespace", e.getCause());
        }
    }

    private static void hold(CompletableFuture<NetworkNamespace> made, CountDownLatch closed) {
        try {
            Libc libc = new Libc();
            libc.leaveForNew();
            made.complete(new NetworkNamespace(libc.ownNamespace()));
            closed.await();
        } catch (SystemCallFailed | RuntimeException e) {
            made.completeExceptionally(e);
        } catch (InterruptedException e) {
            // Nobody has this thread but us; its end is the namespace's end either way.
            Thread.currentThread().interrupt();
        }
    }

    public NetworkNamespace namespace() {
        return namespace;
    }

    /** Lets the kernel remove the namespace as soon as its last socket is closed. */
    @Override
    public void close() {
        closed.countDown();
    }
}
