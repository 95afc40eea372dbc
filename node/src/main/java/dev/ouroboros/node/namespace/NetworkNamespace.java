package dev.ouroboros.node.namespace;

import dev.ouroboros.model.problem.ErrorCode;
import dev.ouroboros.model.problem.Problem;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.node.libc.Libc;
import dev.ouroboros.node.libc.SystemCallFailed;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * A network namespace by its file, for example {@code /run/netns/node}. Linux keeps a network namespace for each thread, and
 * a socket belongs for ever to the one of the thread that made it (network_namespaces(7), setns(2)). So a platform thread
 * enters, makes its sockets and ends, while the rest of the process stays where it is.
 *
 * @param file the namespace file
 */
public record NetworkNamespace(Path file) {
    /** The namespace that {@code ip netns add} made. */
    public static NetworkNamespace named(String name) {
        return new NetworkNamespace(Path.of("/run/netns", name));
    }

    /** What a command must be put behind to run inside. */
    public List<String> prefix() {
        return List.of("nsenter", "--net=" + file);
    }

    /**
     * Runs work inside, on a platform thread of its own that ends with it. The work must make its sockets itself, not on a
     * thread that was there before.
     *
     * @throws ProblemException MISSING_PERMISSION when the namespace cannot be entered, TIMEOUT when interrupted
     * @throws ExecutionException with what the work threw
     */
    public <T> T call(Callable<T> work) throws ExecutionException {
        FutureTask<T> task = new FutureTask<>(() -> {
            new Libc().enter(file);
            return work.call();
        });
        Thread thread = Thread.ofPlatform().daemon().name("inside " + file).start(task);
        try {
            return task.get();
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
            throw ProblemException.of(
                    ErrorCode.TIMEOUT, file.toString(), "interrupted while inside", "", "run the same command again");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof SystemCallFailed refused) {
                throw cannotEnter(file.toString(), refused);
            }
            throw e;
        }
    }

    static ProblemException cannotEnter(String where, SystemCallFailed refused) {
        return new ProblemException(
                new Problem(
                        ErrorCode.MISSING_PERMISSION,
                        where,
                        "the network namespace cannot be entered: " + refused.getMessage(),
                        "an existing namespace and root",
                        "run it as root; ip netns and lsns --type net show what there is"),
                refused);
    }
}
