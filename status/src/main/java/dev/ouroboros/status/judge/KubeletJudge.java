package dev.ouroboros.status.judge;

import dev.ouroboros.model.evidence.Evidence;
import dev.ouroboros.model.evidence.Evidence.Known;
import dev.ouroboros.model.evidence.Evidence.Unknown;
import dev.ouroboros.model.json.Json;
import dev.ouroboros.status.model.ComponentHealth;
import dev.ouroboros.status.model.ComponentStatus;
import dev.ouroboros.status.model.Layer;
import dev.ouroboros.status.model.Owner;
import dev.ouroboros.status.seen.ApiSeen;
import dev.ouroboros.status.seen.DatedCertificate;
import dev.ouroboros.status.seen.NodeSeen;
import dev.ouroboros.status.seen.NodeSeen.NodeCertificates;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Where the kubelets stand: what the API has of their nodes, and what can be seen of the one of this node. */
final class KubeletJudge {
    static final String ELSEWHERE = "only its node knows: ask there, or give --name";

    private KubeletJudge() {}

    /** Empty when no node is known of. */
    static Optional<ComponentStatus> judge(Evidence<ApiSeen> api, Evidence<NodeSeen> node) {
        List<Json> nodes = api.orElse(ApiSeen.unknown("", "")).nodes().orElse(List.of());
        Optional<NodeSeen> here = node instanceof Known<NodeSeen>(NodeSeen seen) ? Optional.of(seen) : Optional.empty();
        if (nodes.isEmpty() && here.isEmpty()) {
            return Optional.empty();
        }
        List<String> names = nodes.isEmpty()
                ? here.map(NodeSeen::name).stream().toList()
                : nodes.stream()
                        .map(each -> each.at("metadata", "name").text().orElse("?"))
                        .sorted()
                        .toList();
        return Optional.of(new ComponentStatus(
                Layer.KUBELET,
                "",
                "kubelet",
                Evidence.known(Owner.PROCESS),
                names,
                kubeletVersion(nodes, here),
                kubeletHealth(nodes, here),
                Optional.empty(),
                certificates(node, NodeCertificates::kubelet),
                Optional.empty(),
                nodes.stream()
                        .flatMap(each -> (isReady(each) ? pressure(each) : readiness(each))
                                .flatMap(condition -> said(each, condition)).stream())
                        .findFirst()
                        .orElse("")));
    }

    private static Evidence<String> kubeletVersion(List<Json> nodes, Optional<NodeSeen> here) {
        List<String> versions = nodes.stream()
                .flatMap(each ->
                        each.at("status", "nodeInfo", "kubeletVersion").text().map(RuntimeNames::number).stream())
                .distinct()
                .sorted()
                .toList();
        return versions.isEmpty()
                ? here.map(KubeletJudge::remembered).orElseGet(() -> Evidence.unknown("no Node says"))
                : Evidence.known(String.join(", ", versions));
    }

    private static Evidence<String> remembered(NodeSeen here) {
        return here.kubeletVersion().map(version -> RuntimeNames.number(version));
    }

    private static ComponentHealth kubeletHealth(List<Json> nodes, Optional<NodeSeen> here) {
        List<ComponentHealth> known = new ArrayList<>();
        long ready = nodes.stream().filter(KubeletJudge::isReady).count();
        if (!nodes.isEmpty()) {
            String text =
                    nodes.size() == 1 ? (ready == 1 ? "ready" : "not ready") : ready + "/" + nodes.size() + " ready";
            known.add(ready == nodes.size() ? ComponentHealth.good(text) : ComponentHealth.bad(text));
            nodes.stream()
                    .flatMap(each -> pressure(each).stream())
                    .findFirst()
                    .ifPresent(condition -> known.addFirst(
                            ComponentHealth.bad(condition.at("type").text().orElse("pressure"))));
        }
        here.map(NodeSeen::kubeletRuns)
                .filter(runs -> runs instanceof Known<Boolean>)
                .ifPresent(runs -> known.add(
                        runs.is(yes -> yes) ? ComponentHealth.good("running") : ComponentHealth.bad("does not run")));
        return known.stream()
                .reduce((one, other) -> other.grade().compareTo(one.grade()) > 0 ? other : one)
                .orElseGet(ComponentHealth::unknown);
    }

    static boolean isReady(Json each) {
        return readiness(each)
                .filter(condition -> condition.at("status").equals(Json.text("True")))
                .isPresent();
    }

    /** What a condition is about, in the kubelet's words. */
    private static Optional<String> said(Json each, Json condition) {
        return condition
                .at("message")
                .text()
                .map(message -> each.at("metadata", "name").text().orElse("?") + ": " + message);
    }

    /** Disk, memory or process IDs run out: pods are evicted and none is admitted, while the node stays Ready. */
    private static Optional<Json> pressure(Json each) {
        return each.at("status", "conditions").items().stream()
                .filter(condition -> condition.at("type").text().orElse("").endsWith("Pressure")
                        && condition.at("status").equals(Json.text("True")))
                .findFirst();
    }

    private static Optional<Json> readiness(Json each) {
        return each.at("status", "conditions").items().stream()
                .filter(condition -> condition.at("type").equals(Json.text("Ready")))
                .findFirst();
    }

    static Evidence<List<DatedCertificate>> certificates(
            Evidence<NodeSeen> node, Function<NodeCertificates, List<DatedCertificate>> which) {
        return switch (node) {
            case Unknown<NodeSeen> _ -> Evidence.unknown(ELSEWHERE);
            case Known<NodeSeen>(NodeSeen seen) -> seen.certificates().map(which);
        };
    }
}
