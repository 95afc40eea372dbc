package dev.ouroboros.upgrade.decide;

import static dev.ouroboros.upgrade.decide.PlanFinding.blocking;
import static dev.ouroboros.upgrade.decide.PlanFinding.unknown;
import static dev.ouroboros.upgrade.decide.PlanFinding.warning;

import dev.ouroboros.model.component.Component;
import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** Whether the nodes are well, and have the room that an upgrade takes. */
final class NodeJudge {
    private static final String CHECK = "nodes";
    private static final String MEMORY = "memory";
    private static final String DISK = "disk";
    private static final long MEBIBYTE = 1024L * 1024;
    private static final long GIBIBYTE = 1024 * MEBIBYTE;
    private static final List<String> ROLES =
            List.of("node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master");
    private static final List<String> PRESSURES = List.of("MemoryPressure", "DiskPressure", "PIDPressure");

    /** A second API server needs as much again, and the kernel some room for the images that are read meanwhile. */
    private static final double MEMORY_WISH = 1.5;

    /** The kubelet's defaults (pkg/kubelet/apis/config/v1beta1/defaults_linux.go): below, it evicts pods and removes images. */
    private static final Map<String, Double> EVICTION = Map.of("imageFs", 0.15, "nodeFs", 0.10);

    private final ClusterSeen seen;
    private final List<PlanFinding> findings = new ArrayList<>();

    private NodeJudge(ClusterSeen seen) {
        this.seen = seen;
    }

    static List<PlanFinding> judge(ClusterSeen seen, Route route) {
        NodeJudge judge = new NodeJudge(seen);
        List<Json> nodes = seen.nodes().orElse(List.of());
        nodes.forEach(judge::health);
        judge.schedulable(nodes);
        nodes.stream().filter(NodeJudge::isControlPlane).forEach(judge::room);
        boolean drains =
                nodes.size() > 1 && route.steps().stream().anyMatch(step -> step.kind() == PlanStep.Kind.KUBELET);
        if (drains) {
            judge.disruptions();
        }
        return judge.findings;
    }

    static boolean isControlPlane(Json node) {
        Json labels = node.at("metadata", "labels");
        return ROLES.stream().anyMatch(role -> !labels.at(role).isNull());
    }

    private static String name(Json node) {
        return node.at("metadata", "name").text().orElse("?");
    }

    private void health(Json node) {
        for (Json condition : node.at("status", "conditions").items()) {
            String type = condition.at("type").text().orElse("");
            String status = condition.at("status").text().orElse("");
            boolean isBad =
                    type.equals("Ready") ? !status.equals("True") : PRESSURES.contains(type) && status.equals("True");
            if (isBad) {
                String evidence = (type.equals("Ready") ? "is not ready" : "has " + type)
                        + condition
                                .at("message")
                                .text()
                                .map(text -> ": " + text)
                                .orElse("");
                String object = "Node " + name(node);
                findings.add(
                        isControlPlane(node)
                                ? blocking(
                                        CHECK,
                                        object,
                                        evidence,
                                        "a new API server may not start or stay there",
                                        "make the node well first: kubectl describe node " + name(node))
                                : warning(
                                        CHECK,
                                        object,
                                        evidence,
                                        type.equals("Ready")
                                                ? "its kube-proxy becomes the target's when it is ready again and has the new images, its kubelet when the same is applied once more"
                                                : "kube-proxy is not replaced there until it is well",
                                        "kubectl describe node " + name(node)));
            }
        }
    }

    private void schedulable(List<Json> nodes) {
        List<Json> control = nodes.stream().filter(NodeJudge::isControlPlane).toList();
        if (!control.isEmpty()
                && control.stream()
                        .allMatch(node -> node.at("spec", "unschedulable").isTrue())) {
            findings.add(blocking(
                    CHECK,
                    control.stream().map(node -> "Node " + name(node)).collect(Collectors.joining(", ")),
                    "no control-plane node takes new pods (kubectl cordon)",
                    "new pods of controller manager and scheduler find no place",
                    "kubectl uncordon " + name(control.getFirst())));
        }
    }

    private void room(Json node) {
        Evidence<Json> summary = seen.summaries().getOrDefault(name(node), Evidence.unknown("it was not asked"));
        switch (summary) {
            case Unknown<Json>(String why) ->
                findings.add(unknown(
                        MEMORY + " and " + DISK,
                        "Node " + name(node),
                        "its kubelet does not tell: " + why,
                        "free -m; df -h /var/lib on the node"));
            case Known<Json>(Json figures) -> {
                memory(name(node), figures);
                EVICTION.keySet().stream().sorted().forEach(kind -> disk(name(node), figures, kind));
            }
        }
    }

    private void memory(String node, Json figures) {
        OptionalLong free = figures.at("node", "memory", "availableBytes").integer();
        OptionalLong server = figures.at("pods").items().stream()
                .flatMap(pod -> pod.at("containers").items().stream())
                .filter(container -> container.at("name").equals(Json.text(Component.API_SERVER.id())))
                .map(container -> container.at("memory", "workingSetBytes").integer())
                .filter(OptionalLong::isPresent)
                .mapToLong(OptionalLong::getAsLong)
                .max();
        if (free.isEmpty() || server.isEmpty()) {
            findings.add(unknown(
                    MEMORY,
                    "Node " + node,
                    "its kubelet does not say what is free, or what its API server has",
                    "free -m"));
            return;
        }
        String evidence = mebibytes(free.getAsLong()) + " MiB are free, its API server has "
                + mebibytes(server.getAsLong()) + " MiB; a change runs two at once";
        if (free.getAsLong() < server.getAsLong()) {
            findings.add(blocking(
                    MEMORY,
                    "Node " + node,
                    evidence,
                    "the second API server would be killed, or something else for it",
                    "free memory on the node, or give it more"));
        } else if (free.getAsLong() < server.getAsLong() * MEMORY_WISH) {
            findings.add(warning(
                    MEMORY,
                    "Node " + node,
                    evidence,
                    "it may become tight",
                    "free memory on the node, or give it more"));
        }
    }

    private void disk(String node, Json figures, String kind) {
        Json system = kind.equals("imageFs") ? figures.at("node", "runtime", "imageFs") : figures.at("node", "fs");
        OptionalLong free = system.at("availableBytes").integer();
        OptionalLong capacity = system.at("capacityBytes").integer();
        if (free.isEmpty() || capacity.isEmpty()) {
            findings.add(unknown(DISK, "Node " + node, "its kubelet does not say what is free on " + kind, "df -h"));
            return;
        }
        long eviction = (long) (capacity.getAsLong() * EVICTION.getOrDefault(kind, 0.0));
        String evidence =
                mebibytes(free.getAsLong()) + " MiB of " + mebibytes(capacity.getAsLong()) + " MiB are free on " + kind;
        if (free.getAsLong() < GIBIBYTE) {
            findings.add(blocking(
                    DISK,
                    "Node " + node,
                    evidence,
                    "images, a snapshot and two sets of checkpoints do not find room",
                    "free 1 GiB and more"));
        } else if (free.getAsLong() - GIBIBYTE < eviction) {
            findings.add(warning(
                    DISK,
                    "Node " + node,
                    evidence,
                    "with the new images the kubelet may begin to remove old ones and to evict pods (below "
                            + mebibytes(eviction) + " MiB by default)",
                    "free some, or see to it that evictionHard is set lower"));
        }
    }

    private static long mebibytes(long bytes) {
        return bytes / MEBIBYTE;
    }

    /** A node whose kubelet becomes another minor version is drained first. */
    private void disruptions() {
        if (seen.disruptionBudgets() instanceof Unknown<List<Json>>(String why)) {
            findings.add(unknown("disruption", "PodDisruptionBudgets", why, ""));
        }
        List<String> closed = seen.disruptionBudgets().orElse(List.of()).stream()
                .filter(budget ->
                        budget.at("status", "disruptionsAllowed").integer().orElse(1) == 0
                                && budget.at("status", "expectedPods").integer().orElse(0) > 0)
                .map(budget -> budget.at("metadata", "namespace").text().orElse("?") + "/" + name(budget))
                .sorted()
                .toList();
        if (!closed.isEmpty()) {
            findings.add(warning(
                    "disruption",
                    closed.stream()
                            .map(budget -> "PodDisruptionBudget " + budget)
                            .collect(Collectors.joining(", ")),
                    "allows no disruption now",
                    "draining a node for its kubelet waits for ever",
                    "more replicas, or another budget, before nodes are drained"));
        }
    }
}
