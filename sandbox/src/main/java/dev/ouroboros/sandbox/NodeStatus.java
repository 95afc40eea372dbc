package dev.ouroboros.sandbox;

import java.util.Optional;

/**
 * A node as a person asks about it.
 *
 * @param node its name
 * @param sandbox the sandbox it belongs to
 * @param state whether it runs
 * @param address its address, once it has one
 * @param pid of its process 1 on the host, while it runs
 * @param kubernetesVersion of its cluster, once that is known
 */
public record NodeStatus(
        String node,
        String sandbox,
        State state,
        Optional<String> address,
        Optional<Long> pid,
        Optional<String> kubernetesVersion) {
    public enum State {
        /** Its process 1 lives; {@code ouro up} has not ended yet, or did not succeed. */
        STARTED,
        /** Its process 1 lives, and {@code ouro up} has succeeded. */
        RUNNING,
        /** It has files, but no process: half-made, or its machine was restarted. */
        STOPPED
    }
}
