package dev.ouroboros.model.runtime;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/**
 * One sandbox of a pod, as the container runtime sees it. A pod whose sandbox was made anew is there twice until the kubelet
 * removes the old one.
 *
 * @param uid as the kubelet calls the pod: the API's for a pod from the API, a hash of the manifest for a static one
 * @param isStatic whether the kubelet has it from a file or a URL, not from the API
 * @param attempt how often a sandbox was made for this pod before: the kubelet makes a new one when the machine was without power
 * @param containers by name, the older attempt first; init containers are among them
 */
public record RuntimePod(
        String namespace,
        String name,
        String uid,
        boolean isStatic,
        State state,
        Instant createdAt,
        int attempt,
        List<RuntimeContainer> containers) {
    /** Older first among those of the same name, so that the last one is the current one. */
    public static final Comparator<RuntimePod> ORDER = Comparator.comparing(RuntimePod::namespace)
            .thenComparing(RuntimePod::name)
            .thenComparing(RuntimePod::createdAt)
            .thenComparing(RuntimePod::uid);

    /** Of the sandbox; the containers have their own. */
    public enum State {
        READY,
        /** Stopped: its containers have ended, or are about to. */
        NOT_READY
    }

    public RuntimePod {
        requireNonNull(namespace, "namespace");
        requireNonNull(name, "name");
        requireNonNull(uid, "uid");
        requireNonNull(state, "state");
        requireNonNull(createdAt, "createdAt");
        if (attempt < 0) {
            throw new IllegalArgumentException("attempt " + attempt + " of pod " + name);
        }
        containers = containers.stream().sorted(RuntimeContainer.ORDER).toList();
    }

    /** Whether a container of it runs, or may be started. */
    public boolean mayRun() {
        return state == State.READY
                || containers.stream().anyMatch(container -> container.state() != RuntimeContainer.State.EXITED);
    }

    /**
     * How often a container ended and was started again, the times left out at which the whole pod was: its attempts are counted on
     * through those.
     */
    public int restarts(RuntimeContainer container) {
        return Math.max(0, container.attempt() - attempt);
    }
}
