package dev.ouroboros.keeper.observe;

import dev.ouroboros.core.problem.ProblemException;
import java.nio.file.Path;
import java.util.List;

/**
 * What the keeper needs of the container runtime. Every call ends within a few seconds but those that move images, or fails with a
 * {@link ProblemException}.
 */
public interface NodeRuntime {
    /** Every pod that the runtime has, running or not. */
    List<SandboxSeen> pods();

    /** Whether an image is on the node. */
    boolean hasImage(String reference);

    /** Writes an image as an archive, durably, if it is not archived yet. */
    void archive(String reference, Path archives);

    /** Brings an image back from its archive. */
    void restore(String reference, Path archives);

    /**
     * A pod as the runtime has it.
     *
     * @param isStatic whether it came from a file, not from an API server
     * @param ready whether its sandbox is ready
     * @param running names of the containers that run now
     */
    record SandboxSeen(
            String namespace, String name, String uid, boolean isStatic, boolean ready, List<String> running) {
        public SandboxSeen {
            running = List.copyOf(running);
        }
    }
}
