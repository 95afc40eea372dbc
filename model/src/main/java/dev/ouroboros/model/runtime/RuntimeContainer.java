package dev.ouroboros.model.runtime;

import static java.util.Objects.requireNonNull;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/**
 * One attempt to run a container.
 *
 * @param name as in the pod's specification
 * @param image as the kubelet named it to the runtime: mostly the image's id, not the reference in the pod's specification
 * @param attempt how often the container was started before in this pod
 * @param exit how it ended; empty as long as it has not, and when the runtime no longer knows
 */
public record RuntimeContainer(
        String name, String image, State state, int attempt, Instant createdAt, Optional<Exit> exit) {
    public static final Comparator<RuntimeContainer> ORDER = Comparator.comparing(RuntimeContainer::name)
            .thenComparingInt(RuntimeContainer::attempt)
            .thenComparing(RuntimeContainer::createdAt);

    /** As the runtime says, except that a state of a later version is UNKNOWN too. */
    public enum State {
        CREATED,
        RUNNING,
        EXITED,
        UNKNOWN
    }

    /** @param reason one word of the runtime, such as {@code Completed} or {@code OOMKilled} */
    public record Exit(int code, Instant finishedAt, String reason) {
        public Exit {
            requireNonNull(finishedAt, "finishedAt");
            requireNonNull(reason, "reason");
        }
    }

    public RuntimeContainer {
        requireNonNull(name, "name");
        requireNonNull(image, "image");
        requireNonNull(state, "state");
        requireNonNull(createdAt, "createdAt");
        requireNonNull(exit, "exit");
        if (attempt < 0) {
            throw new IllegalArgumentException("attempt " + attempt + " of container " + name);
        }
    }
}
