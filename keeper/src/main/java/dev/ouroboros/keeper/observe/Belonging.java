package dev.ouroboros.keeper.observe;

import dev.ouroboros.core.evidence.Evidence;
import dev.ouroboros.core.keeper.ComponentName;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/** Whether somebody still wants a component on this node. A no needs complete evidence; a living pod is a yes at once. */
final class Belonging {
    static final String SYSTEM = "kube-system";

    private final Evidence<SortedMap<String, ControllerSeen>> daemonSets;
    private final Evidence<SortedMap<String, ControllerSeen>> deployments;
    private final Evidence<Optional<Map<String, String>>> nodeLabels;

    /** @param nodeLabels of this machine's Node; empty when there is no such object */
    Belonging(
            Evidence<SortedMap<String, ControllerSeen>> daemonSets,
            Evidence<SortedMap<String, ControllerSeen>> deployments,
            Evidence<Optional<Map<String, String>>> nodeLabels) {
        this.daemonSets = daemonSets;
        this.deployments = deployments;
        this.nodeLabels = nodeLabels;
    }

    Evidence<Boolean> of(ComponentName component, Evidence<List<PodSummary>> pods) {
        if (!(pods instanceof Evidence.Known<List<PodSummary>>(List<PodSummary> here))) {
            return Evidence.unknown("the pods of this node are not known");
        }
        boolean livesHere =
                here.stream().anyMatch(pod -> pod.identity().asks() && pod.pod().isAlive());
        if (livesHere) {
            return Evidence.known(true);
        }
        if (!component.namespace().equals(SYSTEM)) {
            return Evidence.unknown("controllers of namespace " + component.namespace() + " are not read");
        }
        if (!(daemonSets instanceof Evidence.Known<SortedMap<String, ControllerSeen>>(var sets))
                || !(deployments instanceof Evidence.Known<SortedMap<String, ControllerSeen>>(var others))) {
            return Evidence.unknown("the controllers of kube-system are not known");
        }
        ControllerSeen set = sets.get(component.toString());
        if (set != null) {
            return daemonSet(set);
        }
        // What its status says is no evidence that its pods are elsewhere: after a power cut nobody has written it
        // since.
        ControllerSeen deployment = others.get(component.toString());
        return Evidence.known(deployment != null && deployment.asks() && deployment.replicas() > 0);
    }

    private Evidence<Boolean> daemonSet(ControllerSeen set) {
        if (!set.asks()) {
            return Evidence.known(false);
        }
        return switch (nodeLabels) {
            case Evidence.Unknown<Optional<Map<String, String>>>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<Optional<Map<String, String>>>(Optional<Map<String, String>> labels) ->
                Evidence.known(labels.isPresent()
                        && labels.get()
                                .entrySet()
                                .containsAll(set.nodeSelector().entrySet()));
        };
    }
}
