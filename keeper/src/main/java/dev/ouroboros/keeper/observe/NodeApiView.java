package dev.ouroboros.keeper.observe;

import dev.ouroboros.keeper.decide.CheckpointSummary;
import dev.ouroboros.keeper.decide.CheckpointSummary.Told;
import dev.ouroboros.keeper.decide.Observation.NodeSeen;
import dev.ouroboros.keeper.decide.Observation.RejectedPod;
import dev.ouroboros.model.component.Role;
import dev.ouroboros.model.evidence.Evidence;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What the API server's objects say of this node as a whole. */
final class NodeApiView {
    /** Why a kubelet rejects a pod for good, as in the reason of its status; those that begin with OutOf are more. */
    private static final Set<String> REJECTED = Set.of(
            "NodeAffinity", "NodeName", "UnexpectedAdmissionError", "NodePorts", "Preempting", "TopologyAffinityError");

    private static final String NODE_ROLE = "node-role.kubernetes.io/";

    private final ApiSources api;
    private final String nodeName;
    private final Derived<Evidence<NodeSeen>> node = new Derived<>();
    private final Derived<Evidence<List<RejectedPod>>> rejected = new Derived<>();
    private final Derived<Evidence<Boolean>> podCheckpointer = new Derived<>();
    private final Map<Role, Derived<Evidence<Integer>>> elsewhere = Map.of(
            Role.CONTROLLER_MANAGER, new Derived<>(),
            Role.SCHEDULER, new Derived<>());

    NodeApiView(ApiSources api, String nodeName) {
        this.api = api;
        this.nodeName = nodeName;
    }

    Evidence<NodeSeen> node() {
        return node.of(() -> List.of(api.node(), api.pods(), api.daemonSets()), this::lookAtNode);
    }

    private Evidence<NodeSeen> lookAtNode() {
        if (!(api.node() instanceof Evidence.Known<Optional<NodeWatch.NodeObject>>(var node))) {
            return Evidence.unknown(reason(api.node()));
        }
        if (!(api.pods() instanceof Evidence.Known<SortedMap<String, PodSummary>>(var pods))) {
            return Evidence.unknown(reason(api.pods()));
        }
        if (node.isEmpty()) {
            return Evidence.unknown("there is no Node " + nodeName);
        }
        boolean controlPlane = pods.values().stream()
                .anyMatch(pod -> pod.identity().role() == Role.API_SERVER
                        && !pod.identity().isStatic());
        return Evidence.known(new NodeSeen(
                node.get().labels().keySet().containsAll(wantedLabels()),
                node.get().labels().keySet().stream().anyMatch(wantedLabels()::contains),
                controlPlane,
                told(node.get().checkpoints())));
    }

    private static Evidence<Optional<CheckpointSummary>> told(Optional<String> annotation) {
        if (annotation.isEmpty()) {
            return Evidence.known(Optional.empty());
        }
        return switch (CheckpointSummary.read(annotation.get())) {
            case Evidence.Unknown<Told>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<Told>(Told told) -> Evidence.known(Optional.of(told.summary()));
        };
    }

    /** The role labels that the API server's controller asks of its nodes; a kubelet may not give itself those. */
    Set<String> wantedLabels() {
        Set<String> labels = new HashSet<>();
        api.pods().orElse(new TreeMap<>()).values().stream()
                .filter(pod -> pod.identity().role() == Role.API_SERVER)
                .forEach(pod -> labels.addAll(pod.nodeSelector()));
        api.daemonSets().orElse(new TreeMap<>()).values().stream()
                .filter(set -> set.role() == Role.API_SERVER)
                .forEach(set -> labels.addAll(set.nodeSelector().keySet()));
        labels.removeIf(label -> !label.startsWith(NODE_ROLE));
        return labels;
    }

    Evidence<List<RejectedPod>> rejected() {
        return rejected.of(() -> List.of(api.pods()), this::lookForRejected);
    }

    private Evidence<List<RejectedPod>> lookForRejected() {
        return switch (api.pods()) {
            case Evidence.Unknown<SortedMap<String, PodSummary>>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<SortedMap<String, PodSummary>>(var all) ->
                Evidence.known(all.values().stream()
                        .filter(pod -> pod.namespace().equals(Belonging.SYSTEM)
                                && pod.pod().failed()
                                && pod.controller().isPresent()
                                && isRejection(pod.reason()))
                        .map(pod -> new RejectedPod(
                                pod.namespace(), pod.pod().name(), pod.pod().uid(), pod.reason()))
                        .toList());
        };
    }

    private static boolean isRejection(String reason) {
        return REJECTED.contains(reason) || reason.startsWith("OutOf");
    }

    /** Whether the keeper's DaemonSet is there, and wants a pod on this node; unknown while there is no Node object. */
    Evidence<Boolean> keeperWanted() {
        return api.daemonSets().flatMap(sets -> {
            ControllerSeen keepers = sets.get(Observer.SELF.toString());
            return keepers == null
                    ? Evidence.known(false)
                    : api.node()
                            .flatMap(node -> node.map(found -> Evidence.known(found.labels()
                                            .entrySet()
                                            .containsAll(keepers.nodeSelector().entrySet())))
                                    .orElseGet(() -> Evidence.unknown("there is no Node " + nodeName)));
        });
    }

    Evidence<Boolean> podCheckpointer() {
        return podCheckpointer.of(() -> List.of(api.pods()), this::lookForCheckpointer);
    }

    private Evidence<Boolean> lookForCheckpointer() {
        return switch (api.pods()) {
            case Evidence.Unknown<SortedMap<String, PodSummary>>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<SortedMap<String, PodSummary>>(var all) -> {
                boolean livesHere = all.values().stream()
                        .anyMatch(pod ->
                                pod.identity().isCheckpointer() && pod.pod().isAlive());
                yield Evidence.known(livesHere);
            }
        };
    }

    /**
     * How many pods of a role are ready on other nodes, by the status of their controllers; unknown while the status of one of them
     * is of an older generation than its spec.
     */
    Evidence<Integer> elsewhere(Role role) {
        Derived<Evidence<Integer>> counted = elsewhere.get(role);
        return counted == null
                ? Evidence.unknown("only of a controller manager or scheduler")
                : counted.of(
                        () -> List.of(api.daemonSets(), api.deployments(), api.pods()), () -> countElsewhere(role));
    }

    private Evidence<Integer> countElsewhere(Role role) {
        if (!(api.daemonSets() instanceof Evidence.Known<SortedMap<String, ControllerSeen>>(var sets))
                || !(api.deployments() instanceof Evidence.Known<SortedMap<String, ControllerSeen>>(var deployments))
                || !(api.pods() instanceof Evidence.Known<SortedMap<String, PodSummary>>(var pods))) {
            return Evidence.unknown("the controllers of kube-system are not known");
        }
        List<ControllerSeen> all = Stream.concat(sets.values().stream(), deployments.values().stream())
                .filter(controller -> controller.role() == role)
                .toList();
        if (!all.stream().allMatch(ControllerSeen::current)) {
            return Evidence.unknown("what is ready was counted before the last change");
        }
        long ready = all.stream().mapToLong(ControllerSeen::readyAndWanted).sum();
        long here = readyHere(pods.values(), role);
        return ready < here
                ? Evidence.unknown("more are ready here than are wanted: a new one takes the place of an old one")
                : Evidence.known((int) (ready - here));
    }

    private static long readyHere(Collection<PodSummary> pods, Role role) {
        return pods.stream()
                .filter(pod -> pod.identity().role() == role
                        && !pod.identity().isStatic()
                        && pod.pod().ready())
                .count();
    }

    private static String reason(Evidence<?> evidence) {
        return evidence instanceof Evidence.Unknown<?>(String reason) ? reason : "";
    }
}
