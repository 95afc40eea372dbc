package dev.ouroboros.keeper.observe;

import dev.ouroboros.keeper.decide.PrincipalPod;
import dev.ouroboros.model.checkpoint.PodIdentity;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.model.manifest.ReadyCondition;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A pod as the API server has it.
 *
 * @param pod with its restarts as the API counts them
 * @param controller uid of what made it, if anything did
 * @param reason of its status
 * @param started when the manifest of a mirror pod of ours was written; empty for other pods
 * @param waiting why a container of it does not run: reason and message; empty when all do
 * @param object the whole pod when it asks for a checkpoint; empty for others, which are many
 */
record PodSummary(
        String namespace,
        PodIdentity identity,
        PrincipalPod pod,
        String created,
        Optional<String> controller,
        String reason,
        String started,
        String waiting,
        Optional<Json.Fields> object) {
    /** The youngest last; of those of one second by their names. */
    static final Comparator<PodSummary> BY_AGE = Comparator.comparing(PodSummary::created)
            .thenComparing(pod -> pod.pod().name());

    static PodSummary of(Json pod) {
        PodIdentity identity = PodIdentity.of(pod);
        String phase = pod.at("status", "phase").text().orElse("");
        PrincipalPod principal = new PrincipalPod(
                pod.at("metadata", "uid").text().orElse("unknown"),
                pod.at("metadata", "name").text().orElse("unknown"),
                ReadyCondition.holds(pod),
                !pod.at("metadata", "deletionTimestamp").isNull(),
                restarts(pod),
                phase.equals("Failed") || phase.equals("Succeeded"),
                bootedIn(pod));
        return new PodSummary(
                pod.at("metadata", "namespace").text().orElse(""),
                identity,
                principal,
                pod.at("metadata", "creationTimestamp").text().orElse(""),
                controller(pod),
                pod.at("status", "reason").text().orElse(""),
                pod.at("metadata", "annotations", Understudy.START_ANNOTATION)
                        .text()
                        .orElse(""),
                waiting(pod),
                identity.asks() && pod instanceof Json.Fields fields ? Optional.of(slim(fields)) : Optional.empty());
    }

    /** Without what a checkpoint never holds, and what changes with each heartbeat. */
    private static Json.Fields slim(Json.Fields pod) {
        Json.Fields without = pod.without("status");
        return without.at("metadata") instanceof Json.Fields metadata
                ? without.with("metadata", metadata.without("managedFields").without("resourceVersion"))
                : without;
    }

    private static String waiting(Json pod) {
        return pod.at("status", "containerStatuses").items().stream()
                .map(status -> status.at("state", "waiting"))
                .filter(waiting -> !waiting.isNull())
                .map(waiting -> waiting.at("reason").text().orElse("") + ": "
                        + waiting.at("message").text().orElse(""))
                .findFirst()
                .orElse("");
    }

    private static Optional<Duration> bootedIn(Json pod) {
        Optional<Instant> started = pod.at("status", "containerStatuses").items().stream()
                .flatMap(status -> status.at("state", "running", "startedAt").text().stream())
                .map(Instant::parse)
                .max(Comparator.naturalOrder());
        return started.flatMap(from -> ReadyCondition.since(pod).map(to -> Duration.between(from, to)))
                .filter(Duration::isPositive);
    }

    private static int restarts(Json pod) {
        return (int) pod.at("status", "containerStatuses").items().stream()
                .mapToLong(status -> status.at("restartCount").integer().orElse(0))
                .sum();
    }

    private static Optional<String> controller(Json pod) {
        return pod.at("metadata", "ownerReferences").items().stream()
                .filter(owner -> owner.at("controller").isTrue())
                .findFirst()
                .flatMap(owner -> owner.at("uid").text());
    }

    /**
     * The pod as API and runtime together tell of it. Restarts that came with a new sandbox, which the API goes on counting, are not the
     * pod's fault; a restart that the runtime has seen may not have reached the API yet; and a pod whose container has ended is not ready,
     * whatever the API was told last.
     *
     * @param sandbox of the pod, as the runtime has it
     */
    PrincipalPod principal(RuntimePod sandbox) {
        Set<String> named = containers();
        int ofApi = pod.restarts() - sandbox.attempt() * named.size();
        Map<String, Integer> ofRuntime = new TreeMap<>();
        sandbox.containers().stream()
                .filter(container -> named.contains(container.name()))
                .forEach(container -> ofRuntime.merge(container.name(), sandbox.restarts(container), Math::max));
        int seen = ofRuntime.values().stream().mapToInt(Integer::intValue).sum();
        return pod.seen(pod.ready() && runs(sandbox), Math.max(ofApi, seen));
    }

    private boolean runs(RuntimePod sandbox) {
        return containers().stream()
                .allMatch(name -> sandbox.containers().stream()
                        .anyMatch(container ->
                                container.name().equals(name) && container.state() == RuntimeContainer.State.RUNNING));
    }

    /**
     * Whether this pod may be the one that serves on this node: the API says that it is ready, or it runs while something listens on the
     * principal's port. A kubelet that does not reach the API cannot say there that the pod is ready.
     *
     * @param sandbox of the pod, as the runtime has it; empty when that has none
     * @param listens whether something listens on the principal's port
     */
    boolean mayServe(Optional<RuntimePod> sandbox, boolean listens) {
        return pod.ready() || (listens && sandbox.filter(this::runs).isPresent());
    }

    /** Names of the containers that run as long as the pod does. */
    Set<String> containers() {
        Set<String> names = new TreeSet<>();
        object.ifPresent(pod -> pod.at("spec", "containers")
                .items()
                .forEach(container -> container.at("name").text().ifPresent(names::add)));
        return names;
    }

    /** Labels that the pod asks of a node. */
    Set<String> nodeSelector() {
        return object.map(pod -> pod.at("spec", "nodeSelector").fields().keySet())
                .orElse(Set.of());
    }
}
