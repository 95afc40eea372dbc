package dev.ouroboros.keeper.observe;

import dev.ouroboros.keeper.decide.Running;
import dev.ouroboros.model.checkpoint.Understudy;
import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.problem.ProblemException;
import dev.ouroboros.model.runtime.RuntimeContainer;
import dev.ouroboros.model.runtime.RuntimePod;
import dev.ouroboros.runtime.ContainerRuntime;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What the container runtime says, asked each second: containerd's events do not tell everything. At rest more rarely: the kubelet tells
 * the API server of a container that ended, and an API server that cannot be told is seen by its probe.
 */
final class RuntimeSource {
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final ContainerRuntime runtime;
    private final String nodeName;
    private final Signal changed;
    private final Cell<List<RuntimePod>> pods;
    private final Map<String, Predicate<String>> madeByController = new ConcurrentHashMap<>();

    RuntimeSource(ContainerRuntime runtime, String nodeName, Signal changed) {
        this.runtime = runtime;
        this.nodeName = nodeName;
        this.changed = changed;
        this.pods = new Cell<>("runtime", changed);
    }

    void start(Lookouts lookouts) {
        lookouts.repeatCostly("runtime", () -> {
            refresh();
            return changed.sparing(INTERVAL);
        });
    }

    void refresh() {
        try {
            pods.set(Evidence.known(runtime.pods()));
        } catch (ProblemException e) {
            pods.set(Evidence.unknown(e.describe()));
        }
    }

    Evidence<List<RuntimePod>> value() {
        return pods.get();
    }

    /**
     * The pods that the API server made of a component. Without an API server they are known by their name alone: a controller's name,
     * and what it appends.
     *
     * @param containers that must run; none: any
     */
    Evidence<Running> principal(ComponentName component, Set<String> containers) {
        Predicate<String> named = madeByController.computeIfAbsent(
                component.name(),
                name -> Pattern.compile(Pattern.quote(name) + "(-[a-z0-9]{1,10})?(-[a-z0-9]{1,5})?")
                        .asMatchPredicate());
        return running(
                pod -> !pod.isStatic()
                        && pod.namespace().equals(component.namespace())
                        && pod.name().startsWith(component.name())
                        && named.test(pod.name()),
                containers);
    }

    /**
     * The understudy of a component: ours, or the temporary one of start.
     *
     * @param since when the manifest was written that is there now: a pod from before is of an earlier manifest, and about to end
     */
    Evidence<Running> understudy(ComponentName component, Role role, Set<String> containers, Optional<Instant> since) {
        String ours = Understudy.podName(component, role) + "-" + nodeName;
        String ofStart = "bootstrap-" + component.name() + "-" + nodeName;
        return running(
                pod -> pod.isStatic()
                        && pod.namespace().equals(component.namespace())
                        && (pod.name().equals(ours) || pod.name().equals(ofStart))
                        && since.filter(pod.createdAt()::isBefore).isEmpty(),
                containers);
    }

    /**
     * How often a container of the understudy ended that should have run on.
     *
     * @param since start of that understudy: the kubelet keeps for a while what an earlier one of the same name has left
     */
    int understudyEnds(ComponentName component, Role role, Instant since) {
        return understudyPod(component, role, since).stream()
                .flatMap(pod -> pod.containers().stream()
                        .map(container ->
                                pod.restarts(container) + (container.state() == RuntimeContainer.State.EXITED ? 1 : 0)))
                .max(Integer::compare)
                .orElse(0);
    }

    /** The sandbox of a pod that was made last. */
    Optional<RuntimePod> pod(String uid) {
        return pods.get().orElse(List.of()).stream()
                .filter(pod -> pod.uid().equals(uid))
                .max(Comparator.comparingInt(RuntimePod::attempt));
    }

    /** The kubelet's UID of the pod of the understudy that was started then. */
    Optional<String> understudyUid(ComponentName component, Role role, Instant since) {
        return understudyPod(component, role, since).map(RuntimePod::uid);
    }

    private Optional<RuntimePod> understudyPod(ComponentName component, Role role, Instant since) {
        String ours = Understudy.podName(component, role) + "-" + nodeName;
        return pods.get().orElse(List.of()).stream()
                .filter(pod -> pod.isStatic()
                        && pod.namespace().equals(component.namespace())
                        && pod.name().equals(ours)
                        && !pod.createdAt().isBefore(since))
                .max(RuntimePod.ORDER);
    }

    private Evidence<Running> running(Predicate<RuntimePod> ofComponent, Set<String> containers) {
        return switch (pods.get()) {
            case Evidence.Unknown<List<RuntimePod>>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<List<RuntimePod>>(List<RuntimePod> all) -> {
                List<RuntimePod> found = all.stream().filter(ofComponent).toList();
                boolean runs = found.stream().anyMatch(pod -> runs(pod, containers));
                yield Evidence.known(runs ? Running.RUNNING : found.isEmpty() ? Running.ABSENT : Running.STOPPED);
            }
        };
    }

    private static boolean runs(RuntimePod pod, Set<String> containers) {
        Set<String> running = pod.containers().stream()
                .filter(container -> container.state() == RuntimeContainer.State.RUNNING)
                .map(RuntimeContainer::name)
                .collect(Collectors.toSet());
        return pod.state() == RuntimePod.State.READY && !running.isEmpty() && running.containsAll(containers);
    }
}
