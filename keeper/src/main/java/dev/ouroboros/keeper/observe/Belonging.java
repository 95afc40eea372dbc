package dev.ouroboros.keeper.observe;

import dev.ouroboros.model.component.ComponentName;
import dev.ouroboros.model.evidence.Evidence;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/** Whether somebody still wants a component on this node. A no needs complete evidence; a living pod is a yes at once. */
final class Belonging {
    static final String SYSTEM = "kube-system";

    private final Evidence<SortedMap<String, ControllerSeen>> daemonSets;
    private final Evidence<SortedMap<String, ControllerSeen>> deployments;
    private final Lookup others;
    private final Evidence<Optional<Map<String, String>>> nodeLabels;

    /** Reads a controller by its name. */
    interface Lookup {
        /** Empty when there is none of that name, of any kind. */
        Evidence<Optional<ControllerSeen>> of(ComponentName component);
    }

    /**
     * @param daemonSets of kube-system
     * @param deployments of kube-system
     * @param others all that are in neither
     * @param nodeLabels of this machine's Node; empty when there is no such object
     */
    Belonging(
            Evidence<SortedMap<String, ControllerSeen>> daemonSets,
            Evidence<SortedMap<String, ControllerSeen>> deployments,
            Lookup others,
            Evidence<Optional<Map<String, String>>> nodeLabels) {
        this.daemonSets = daemonSets;
        this.deployments = deployments;
        this.others = others;
        this.nodeLabels = nodeLabels;
    }

    Evidence<Boolean> of(ComponentName component, Evidence<List<PodSummary>> pods) {
        if (!(pods instanceof Evidence.Known<List<PodSummary>>(List<PodSummary> here))) {
            return Evidence.unknown("the pods of this node are not known");
        }
        if (livesHere(here)) {
            return Evidence.known(true);
        }
        return switch (controller(component)) {
            case Evidence.Unknown<Optional<ControllerSeen>>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<Optional<ControllerSeen>>(Optional<ControllerSeen> controller) ->
                controller.map(this::wants).orElseGet(() -> Evidence.known(false));
        };
    }

    /**
     * Whether this node has the labels that the component's pods ask for. They had them when they came; nobody moves them when a label is taken
     * away.
     */
    Evidence<Boolean> selected(ComponentName component) {
        return controller(component)
                .flatMap(controller -> controller
                        .<Evidence<Boolean>>map(wanting -> nodeLabels.map(labels -> labels.orElse(Map.of())
                                .entrySet()
                                .containsAll(wanting.nodeSelector().entrySet())))
                        .orElseGet(() -> Evidence.unknown("no controller says where it belongs")));
    }

    /**
     * How many of its pods are ready on other nodes, by the status of its controller; unknown while that is old, and of pods that none of another
     * node can replace.
     */
    Evidence<Integer> elsewhere(ComponentName component, Evidence<List<PodSummary>> pods) {
        return pods.flatMap(here -> controller(component)
                .flatMap(found -> found.filter(counts -> counts.interchangeable() && counts.current())
                        .map(counts -> Evidence.known((int) Math.max(0, counts.readyAndWanted() - readyOf(here))))
                        .orElseGet(() -> Evidence.unknown("no controller counts the pods on other nodes"))));
    }

    private static long readyOf(List<PodSummary> pods) {
        return pods.stream().filter(pod -> pod.pod().ready()).count();
    }

    /** Whether people want no pod of it anywhere: its controller is there, and was scaled to zero. */
    Evidence<Boolean> switchedOff(ComponentName component) {
        return switch (controller(component)) {
            case Evidence.Unknown<Optional<ControllerSeen>>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<Optional<ControllerSeen>>(Optional<ControllerSeen> controller) ->
                Evidence.known(controller.filter(ControllerSeen::isSwitchedOff).isPresent());
        };
    }

    private static boolean livesHere(List<PodSummary> pods) {
        return pods.stream().anyMatch(pod -> pod.identity().asks() && pod.pod().isAlive());
    }

    /**
     * Whether a request of its own is needed to tell who controls a component: only without a living pod and a watched controller, or
     * outside kube-system.
     */
    boolean mustAsk(ComponentName component, Evidence<List<PodSummary>> pods) {
        if (!component.namespace().equals(SYSTEM)) {
            return true;
        }
        return pods.is(here -> !livesHere(here))
                && daemonSets.is(sets -> !sets.containsKey(component.toString()))
                && deployments.is(all -> !all.containsKey(component.toString()));
    }

    private Evidence<Optional<ControllerSeen>> controller(ComponentName component) {
        if (component.namespace().equals(SYSTEM)) {
            if (!(daemonSets instanceof Evidence.Known<SortedMap<String, ControllerSeen>>(var sets))
                    || !(deployments instanceof Evidence.Known<SortedMap<String, ControllerSeen>>(var deployed))) {
                return Evidence.unknown("the controllers of kube-system are not known");
            }
            ControllerSeen followed = sets.getOrDefault(component.toString(), deployed.get(component.toString()));
            if (followed != null) {
                return Evidence.known(Optional.of(followed));
            }
        }
        return others.of(component);
    }

    /**
     * Ready replicas in a controller's status are no evidence that its pods are elsewhere: after a power cut nobody has updated
     * the status.
     */
    private Evidence<Boolean> wants(ControllerSeen controller) {
        if (!controller.asks()) {
            return Evidence.known(false);
        }
        if (!controller.onEachNode()) {
            return Evidence.known(controller.replicas() > 0);
        }
        return switch (nodeLabels) {
            case Evidence.Unknown<Optional<Map<String, String>>>(String reason) -> Evidence.unknown(reason);
            case Evidence.Known<Optional<Map<String, String>>>(Optional<Map<String, String>> labels) ->
                Evidence.known(labels.isPresent()
                        && labels.get()
                                .entrySet()
                                .containsAll(controller.nodeSelector().entrySet()));
        };
    }
}
