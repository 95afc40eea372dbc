package dev.ouroboros.sim;

import dev.ouroboros.core.json.Json;
import dev.ouroboros.core.keeper.Role;
import dev.ouroboros.core.runtime.RuntimeContainer;
import dev.ouroboros.core.runtime.RuntimePod;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A pod on the node: what the kubelet knows of it and what the runtime runs for it. */
final class PodRun {
    final String uid;
    final String namespace;
    /** As the API calls it: of a static pod with the node's name behind. */
    final String name;

    final boolean isStatic;
    final Json.Fields pod;
    final Instant created;
    Optional<Program> program = Optional.empty();
    SortedMap<String, String> files = new TreeMap<>();
    int attempts;
    /** Sandboxes of this pod before this one, and how often containers were started in them: counted on through power cuts. */
    int sandboxesBefore;

    int startsBefore;
    Optional<Instant> nextStart = Optional.empty();
    Optional<Instant> killAt = Optional.empty();

    PodRun(String uid, String namespace, String name, boolean isStatic, Json.Fields pod, Instant created) {
        this.uid = uid;
        this.namespace = namespace;
        this.name = name;
        this.isStatic = isStatic;
        this.pod = pod;
        this.created = created;
    }

    boolean isRunning(Instant now) {
        return program.filter(process -> process.isAlive(now)).isPresent();
    }

    boolean isReady(Instant now, boolean etcd) {
        return program.filter(process -> process.isReady(now) && (etcd || process.role != Role.API_SERVER))
                .isPresent();
    }

    /** As the API counts them. */
    int restartCount() {
        return Math.max(0, startsBefore + attempts - 1);
    }

    RuntimePod seen(Instant now) {
        boolean runs = isRunning(now);
        return new RuntimePod(
                namespace,
                name,
                uid,
                isStatic,
                runs || killAt.isEmpty() ? RuntimePod.State.READY : RuntimePod.State.NOT_READY,
                created,
                sandboxesBefore,
                program.isEmpty()
                        ? List.of()
                        : pod.at("spec", "containers").items().stream()
                                .map(container -> new RuntimeContainer(
                                        container.at("name").text().orElse(""),
                                        "sha256:image",
                                        runs ? RuntimeContainer.State.RUNNING : RuntimeContainer.State.EXITED,
                                        restartCount(),
                                        created,
                                        Optional.empty()))
                                .toList());
    }
}
