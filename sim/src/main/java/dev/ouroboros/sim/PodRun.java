package dev.ouroboros.sim;

import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A pod on the node: what the kubelet knows of it and what the runtime runs for it. */
final class PodRun {
    final String uid;
    final String namespace;
    /** As in the API: for a static pod with the node's name as a suffix. */
    final String name;

    final boolean isStatic;
    final Json.Fields pod;
    final Instant created;
    final Role role;
    /** Where the API has it. */
    final String path;

    Optional<Program> program = Optional.empty();
    SortedMap<String, String> files = new TreeMap<>();
    int attempts;
    /** Sandboxes of this pod before this one, and how often containers were started in them: counted on through power cuts. */
    int sandboxesBefore;

    int startsBefore;
    /** Starts of a static pod that was there a moment ago with the same content: its back-off goes on. */
    int crashesBefore;
    /** What its files were made of when {@link Invariants} looked last. */
    long filesSeen = -1;

    private Optional<Seen> seen = Optional.empty();
    /** What the kubelet said of it last. */
    Optional<Told> told = Optional.empty();

    Optional<Instant> nextStart = Optional.empty();
    Optional<Instant> killAt = Optional.empty();

    PodRun(String uid, String namespace, String name, boolean isStatic, Json.Fields pod, Instant created) {
        this.uid = uid;
        this.namespace = namespace;
        this.name = name;
        this.isStatic = isStatic;
        this.pod = pod;
        this.created = created;
        this.role = Machine.roleOf(namespace, name);
        this.path = "/api/v1/namespaces/" + namespace + "/pods/" + name;
    }

    /** What the runtime tells of it, and what that is made of. */
    private record Seen(Shown shown, RuntimePod pod) {}

    private record Shown(boolean runs, boolean ready, boolean began, int restarts, int sandboxes) {}

    /** A status, and what it says. */
    record Told(boolean begun, boolean runs, boolean ready, int restarts, Json.Fields status) {
        boolean says(boolean begunNow, boolean runsNow, boolean readyNow, int restartsNow) {
            return begun == begunNow && runs == runsNow && ready == readyNow && restarts == restartsNow;
        }
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

    /** Built anew only when its content changes. */
    RuntimePod seen(Instant now) {
        boolean runs = isRunning(now);
        boolean ready = runs || killAt.isEmpty();
        Shown shown = new Shown(runs, ready, program.isPresent(), restartCount(), sandboxesBefore);
        if (seen.filter(before -> before.shown().equals(shown)).isEmpty()) {
            seen = Optional.of(new Seen(shown, seen(shown)));
        }
        return seen.get().pod();
    }

    private RuntimePod seen(Shown shown) {
        return new RuntimePod(
                namespace,
                name,
                uid,
                isStatic,
                shown.ready() ? RuntimePod.State.READY : RuntimePod.State.NOT_READY,
                created,
                sandboxesBefore,
                !shown.began()
                        ? List.of()
                        : pod.at("spec", "containers").items().stream()
                                .map(container -> new RuntimeContainer(
                                        container.at("name").text().orElse(""),
                                        "sha256:image",
                                        shown.runs() ? RuntimeContainer.State.RUNNING : RuntimeContainer.State.EXITED,
                                        shown.restarts(),
                                        program.orElseThrow().created,
                                        Optional.empty()))
                                .toList());
    }
}
